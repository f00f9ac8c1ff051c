package io.tensorfabric.service.files;

import io.tensorfabric.service.store.StoredTensor;
import io.tensorfabric.service.store.TensorFile;
import io.tensorfabric.service.store.TensorMemory;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.safetensors.SafetensorsLayout;
import io.tensorfabric.tensor.safetensors.SafetensorsWriter;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.springframework.http.ContentDisposition;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;

/** Writes files of the store as safetensors, straight from their memory. Thread-safe. */
@Component
class Downloads {

    private final TensorMemory memory;

    Downloads(TensorMemory memory) {
        this.memory = memory;
    }

    void download(TensorFile file, List<StoredTensor> wanted, HttpServletResponse response) throws IOException {
        List<StoredTensor.Use> uses = new ArrayList<>(wanted.size());
        try {
            wanted.forEach(tensor -> uses.add(tensor.use()));
            List<Tensor> tensors = uses.stream().map(StoredTensor.Use::tensor).toList();
            SafetensorsLayout layout = SafetensorsWriter.layoutOf(tensors, file.metadata());
            response.setContentType(MediaType.APPLICATION_OCTET_STREAM_VALUE);
            response.setContentLengthLong(layout.totalBytes());
            response.setHeader(HttpHeaders.CONTENT_DISPOSITION, attachment(file.name()));
            try (HostCopies source = new HostCopies(memory, tensors)) {
                SafetensorsWriter.write(layout, source, response.getOutputStream());
            }
        } finally {
            uses.forEach(StoredTensor.Use::close);
        }
    }

    private static String attachment(String name) {
        return ContentDisposition.attachment()
                .filename(name, StandardCharsets.UTF_8)
                .build()
                .toString();
    }
}
