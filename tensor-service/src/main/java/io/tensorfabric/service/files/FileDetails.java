package io.tensorfabric.service.files;

import io.tensorfabric.service.store.TensorFile;
import java.util.List;

/**
 * A file of the store with its tensors.
 *
 * @param file the file
 * @param tensors its tensors
 */
record FileDetails(FileView file, List<TensorView> tensors) {

    static FileDetails of(TensorFile file) {
        return new FileDetails(
                FileView.of(file), file.tensors().stream().map(TensorView::of).toList());
    }
}
