package io.tensorfabric.chart;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.fabric8.certmanager.api.model.v1.Certificate;
import io.fabric8.openshift.api.model.miscellaneous.cncf.cni.v1.NetworkAttachmentDefinition;
import io.fabric8.openshift.api.model.monitoring.v1.PodMonitor;
import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import io.kubernetes.client.openapi.JSON;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks objects against what Kubernetes and the operators take: fields that are unknown, missing or of the wrong type. The
 * models of Kubernetes come from its own OpenAPI description.
 */
final class ManifestSchemas {

    private static final String MODELS = "io.kubernetes.client.openapi.models.";

    private static final Map<String, Class<?>> OPERATORS = Map.of(
            "monitoring.coreos.com/v1 ServiceMonitor", ServiceMonitor.class,
            "monitoring.coreos.com/v1 PodMonitor", PodMonitor.class,
            "monitoring.coreos.com/v1 PrometheusRule", PrometheusRule.class,
            "cert-manager.io/v1 Certificate", Certificate.class,
            "k8s.cni.cncf.io/v1 NetworkAttachmentDefinition", NetworkAttachmentDefinition.class);

    /** What the descriptions of the operators' resources require, which the models do not tell. */
    private static final Map<String, List<String>> REQUIRED = Map.of(
            "ServiceMonitor", List.of("/spec/selector", "/spec/endpoints"),
            "PodMonitor", List.of("/spec/selector"),
            "PrometheusRule", List.of("/spec/groups/0/name", "/spec/groups/0/rules/0/expr"),
            "Certificate", List.of("/spec/secretName", "/spec/issuerRef/name"),
            "NetworkAttachmentDefinition", List.of("/spec/config"));

    private static final ObjectMapper STRICT = strict();

    private ManifestSchemas() {}

    /** Models keep what they do not know in a map of their own; here it is an error. Numbers are no texts. */
    private static ObjectMapper strict() {
        JsonMapper mapper = JsonMapper.builder()
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                .annotationIntrospector(new JacksonAnnotationIntrospector() {
                    @Override
                    public Boolean hasAnySetter(Annotated member) {
                        return false;
                    }
                })
                .build();
        for (CoercionInputShape shape :
                List.of(CoercionInputShape.Integer, CoercionInputShape.Float, CoercionInputShape.Boolean)) {
            mapper.coercionConfigFor(LogicalType.Textual).setCoercion(shape, CoercionAction.Fail);
        }
        return mapper;
    }

    /** What is wrong with an object, nothing if it is fine. */
    static List<String> faults(Manifest manifest) {
        String type = manifest.apiVersion() + " " + manifest.kind();
        Class<?> operator = OPERATORS.get(type);
        try {
            if (operator != null) {
                STRICT.treeToValue(manifest.object(), operator);
                return missing(manifest);
            }
            return core(manifest);
        } catch (JsonProcessingException e) {
            return List.of(type + ": " + e.getOriginalMessage());
        }
    }

    private static List<String> missing(Manifest manifest) {
        List<String> faults = new ArrayList<>();
        for (String pointer : REQUIRED.getOrDefault(manifest.kind(), List.of())) {
            JsonNode value = manifest.at(pointer);
            if (value.isMissingNode()
                    || value.isNull()
                    || value.isTextual() && value.asText().isEmpty()) {
                faults.add(manifest + " lacks " + pointer);
            }
        }
        return faults;
    }

    /** Where a text is wanted the models take a number too, which a cluster refuses. */
    private static void compare(String path, JsonElement written, @Nullable JsonElement taken, List<String> faults) {
        if (taken == null) {
            return;
        }
        if (written.isJsonObject() && taken.isJsonObject()) {
            written.getAsJsonObject()
                    .asMap()
                    .forEach((key, value) -> compare(
                            path + "/" + key, value, taken.getAsJsonObject().get(key), faults));
        } else if (written.isJsonArray() && taken.isJsonArray()) {
            for (int i = 0; i < written.getAsJsonArray().size(); i++) {
                compare(
                        path + "/" + i,
                        written.getAsJsonArray().get(i),
                        taken.getAsJsonArray().get(i),
                        faults);
            }
        } else if (written.isJsonPrimitive()
                && taken.isJsonPrimitive()
                && written.getAsJsonPrimitive().isString()
                        != taken.getAsJsonPrimitive().isString()) {
            faults.add(path + " is " + written + ", but must be " + taken);
        }
    }

    private static List<String> core(Manifest manifest) throws JsonProcessingException {
        String version = manifest.apiVersion().substring(manifest.apiVersion().indexOf('/') + 1);
        String name = version.substring(0, 1).toUpperCase(Locale.ROOT) + version.substring(1) + manifest.kind();
        try {
            Class<?> model = Class.forName(MODELS + name);
            String json = new ObjectMapper().writeValueAsString(manifest.object());
            JsonElement element = JsonParser.parseString(json);
            model.getMethod("validateJsonElement", JsonElement.class).invoke(null, element);
            JsonElement taken = JsonParser.parseString(JSON.serialize(JSON.deserialize(json, model)));
            List<String> faults = new ArrayList<>();
            compare("", element, taken, faults);
            return faults;
        } catch (ClassNotFoundException e) {
            return List.of("Kubernetes has no " + manifest.apiVersion() + " " + manifest.kind());
        } catch (InvocationTargetException e) {
            return List.of(manifest + ": " + e.getCause().getMessage());
        } catch (com.google.gson.JsonParseException | IllegalArgumentException e) {
            return List.of(manifest + ": " + e.getMessage());
        } catch (NoSuchMethodException | IllegalAccessException e) {
            throw new UncheckedIOException(new IOException("No validation for " + name, e));
        }
    }
}
