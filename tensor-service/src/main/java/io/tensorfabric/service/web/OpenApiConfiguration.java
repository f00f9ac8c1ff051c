package io.tensorfabric.service.web;

import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.info.License;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class OpenApiConfiguration {

    @Bean
    OpenAPI openApi() {
        return new OpenAPI()
                .info(new Info()
                        .title("Tensor Fabric reference service")
                        .description("Keeps tensors in registered memory and pushes them to peers over RDMA")
                        .version("v1")
                        .license(new License().name("Apache-2.0")));
    }
}
