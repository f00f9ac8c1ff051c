package io.tensorfabric.service.files;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Limits of uploads.
 *
 * @param memory Where uploaded tensors are kept: "host", "cuda:N", or "auto" for where received ones land.
 * @param maxHeaderSize Longest safetensors header that is read.
 */
@ConfigurationProperties("tensor-service.upload")
record UploadProperties(
        @DefaultValue("host") String memory,
        @DefaultValue("16MB") DataSize maxHeaderSize) {

    UploadProperties {
        if (maxHeaderSize.toBytes() < 8) {
            throw new IllegalArgumentException(
                    "tensor-service.upload.max-header-size must be at least 8B, not " + maxHeaderSize);
        }
    }
}
