package io.tensorfabric.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives the application of a Spring Boot test peers in the same process. Application and peers use software devices on free
 * ports of the loopback address, and negotiate by calls instead of REST: no device, no web server and no secret is needed.
 *
 * <pre>{@code
 * @SpringBootTest
 * @AutoConfigureTestFabric
 * class EmbeddingsTest {
 *
 *     @Autowired FabricTestPeer ranker;
 *
 *     @Test
 *     void whenABatchIsReadyThenItIsShipped(@Autowired Embeddings embeddings) {
 *         embeddings.ship();
 *         assertThat(ranker.awaitTensor()).hasName("embeddings/batch");
 *     }
 * }
 * }</pre>
 *
 * <p>Each peer is a bean of type {@link FabricTestPeer} under its name, and is reset after each test.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface AutoConfigureTestFabric {

    /**
     * Names by which the application calls its peers. By default those that it has in {@code fabric.peers}, whose places are
     * taken; without any there, one peer {@code test-peer}.
     */
    String[] peers() default {};
}
