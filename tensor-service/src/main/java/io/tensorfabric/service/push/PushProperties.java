package io.tensorfabric.service.push;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How files are pushed.
 *
 * @param window Tensors of one file that are under way at once.
 * @param maxRunning Pushes that may run at once; further ones are refused with 503.
 * @param history Ended pushes that can still be asked for.
 */
@Validated
@ConfigurationProperties("tensor-service.push")
record PushProperties(
        @DefaultValue("8") @Min(1) @Max(256) int window,
        @DefaultValue("64") @Min(1) int maxRunning,
        @DefaultValue("200") @Min(0) int history) {}
