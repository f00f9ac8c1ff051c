package io.tensorfabric.service.store;

import jakarta.validation.constraints.Min;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * Limits of the store.
 *
 * @param maxSize Most bytes of tensors that are kept, uploaded and received ones together.
 * @param maxFiles Most files that are kept.
 * @param maxTensors Most tensors that are kept.
 */
@Validated
@ConfigurationProperties("tensor-service.store")
record StoreProperties(
        @DefaultValue("768MB") DataSize maxSize,
        @DefaultValue("1000") @Min(1) int maxFiles,
        @DefaultValue("100000") @Min(1) int maxTensors) {

    StoreProperties {
        if (maxSize.toBytes() <= 0) {
            throw new IllegalArgumentException("tensor-service.store.max-size must be positive, not " + maxSize);
        }
    }
}
