/** REST calls over the files of the store: upload, list, describe, download, delete. */
@NullMarked
package io.tensorfabric.service.files;

import org.jspecify.annotations.NullMarked;
