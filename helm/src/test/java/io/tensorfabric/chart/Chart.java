package io.tensorfabric.chart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The chart, and Helm. */
final class Chart {

    static final Path FOLDER = Path.of("tensor-service");

    static final String RELEASE = "demo";

    static final String NAMESPACE = "fabric";

    static final String FULL_NAME = "demo-tensor-service";

    static final String KUBE_VERSION = "1.33.0";

    static final ObjectMapper YAML = new YAMLMapper();

    /** By file; rendering is what takes the time. */
    private static final Map<String, List<Manifest>> RENDERED = new ConcurrentHashMap<>();

    /** What {@code helm.sh/hook} is called in what is rendered. */
    static final String HOOK = "tests/hook";

    private static final String NOTES = "notes-for-tests.yaml";

    private static final String SEPARATOR = "(?m)^---\\s*$";

    private static @Nullable Path copied;

    private Chart() {}

    /** The files with values of features, in order of their names. */
    static List<Path> valueFiles() {
        try (Stream<Path> files = Files.list(FOLDER.resolve("ci"))) {
            return files.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Renders with the values of a file of {@code ci}, or with none but the chart's own. */
    static List<Manifest> render(@Nullable Path values) throws IOException {
        String key = String.valueOf(values);
        List<Manifest> known = RENDERED.get(key);
        if (known == null) {
            known = render(values, KUBE_VERSION);
            RENDERED.put(key, known);
        }
        return known;
    }

    static List<Manifest> render(@Nullable Path values, String kubeVersion) throws IOException {
        return split(text(values, kubeVersion));
    }

    /** Renders with the values of a feature. */
    static List<Manifest> feature(String name) throws IOException {
        return render(FOLDER.resolve("ci").resolve(name + "-values.yaml"));
    }

    static String text(@Nullable Path values, String kubeVersion) {
        TemplateCommand command = command(kubeVersion);
        if (values != null) {
            command.withValuesFile(values);
        }
        return withoutNotes(command.call());
    }

    /** Renders with values as {@code --set} takes them. */
    static List<Manifest> render(Map<String, String> values) throws IOException {
        TemplateCommand command = command(KUBE_VERSION);
        values.forEach(command::set);
        return split(withoutNotes(command.call()));
    }

    /** What Helm says after an installation with the values of a feature. */
    static String notes(String feature) throws IOException {
        String rendered = command(KUBE_VERSION)
                .withValuesFile(FOLDER.resolve("ci").resolve(feature + "-values.yaml"))
                .call();
        for (String document : rendered.split(SEPARATOR)) {
            if (isNotes(document)) {
                return parse(document).at("/data/notes").asText();
            }
        }
        throw new AssertionError("no notes");
    }

    private static TemplateCommand command(String kubeVersion) {
        FakeCluster.use();
        return new Helm(prepared())
                .template()
                .withName(RELEASE)
                .withNamespace(NAMESPACE)
                .withKubeVersion(kubeVersion);
    }

    private static String withoutNotes(String rendered) {
        return Stream.of(rendered.split(SEPARATOR))
                .filter(document -> !isNotes(document))
                .collect(Collectors.joining("\n---\n"));
    }

    private static boolean isNotes(String document) {
        return document.contains("# Source: tensor-service/templates/" + NOTES);
    }

    /**
     * Helm's library leaves hooks and notes out of what it renders, so it gets a copy of the chart in which hooks are none and
     * the notes are an object besides.
     */
    private static synchronized Path prepared() {
        Path made = copied;
        if (made == null) {
            try {
                made = Files.createTempDirectory(Path.of("target"), "chart").resolve("tensor-service");
                copy(made);
                Path tests = made.resolve("templates/tests/tests.yaml");
                Files.writeString(tests, Files.readString(tests).replace("helm.sh/hook:", HOOK + ":"));
                Files.writeString(made.resolve("templates").resolve(NOTES), """
                        data:
                          notes: {{ include (print $.Template.BasePath "/NOTES.txt") . | toJson }}
                        """);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            copied = made;
        }
        return made;
    }

    private static void copy(Path target) throws IOException {
        try (Stream<Path> files = Files.walk(FOLDER)) {
            for (Path file : files.toList()) {
                Path copy = target.resolve(FOLDER.relativize(file));
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(file, copy);
                }
            }
        }
    }

    /** Helm separates objects by lines of three dashes, which no text within one may hold. */
    private static List<Manifest> split(String rendered) throws IOException {
        List<Manifest> manifests = new ArrayList<>();
        for (String document : rendered.split(SEPARATOR)) {
            if (!document.lines().allMatch(line -> line.isBlank() || line.startsWith("#"))) {
                manifests.add(new Manifest(parse(document), document));
            }
        }
        return manifests;
    }

    /** Reads YAML, strictly: no key twice. */
    static JsonNode parse(String yaml) throws IOException {
        YAMLFactory factory = new YAMLFactory();
        try (YAMLParser parser = factory.createParser(yaml);
                MappingIterator<JsonNode> all = new ObjectMapper(factory)
                        .enable(com.fasterxml.jackson.databind.DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
                        .readValues(parser, JsonNode.class)) {
            JsonNode first = all.next();
            if (all.hasNext()) {
                throw new IOException("More than one document");
            }
            return first;
        }
    }

    /** Lints a copy of the chart whose own values are those of a file. */
    static LintResult lint(@Nullable Path values, Path scratch) throws IOException {
        Path copy = scratch.resolve("tensor-service");
        copy(copy);
        if (values != null) {
            ObjectNode merged =
                    (ObjectNode) YAML.readTree(FOLDER.resolve("values.yaml").toFile());
            merge(merged, YAML.readTree(values.toFile()));
            YAML.writeValue(copy.resolve("values.yaml").toFile(), merged);
        }
        FakeCluster.use();
        return new Helm(copy).lint().strict().call();
    }

    private static void merge(ObjectNode into, JsonNode from) {
        from.properties().forEach(entry -> {
            JsonNode present = into.get(entry.getKey());
            if (present instanceof ObjectNode && entry.getValue().isObject()) {
                merge((ObjectNode) present, entry.getValue());
            } else {
                into.set(entry.getKey(), entry.getValue());
            }
        });
    }

    static Manifest only(List<Manifest> manifests, String kind) {
        List<Manifest> found =
                manifests.stream().filter(each -> each.kind().equals(kind)).toList();
        if (found.size() != 1) {
            throw new AssertionError(found.size() + " objects of kind " + kind + " in " + manifests);
        }
        return found.get(0);
    }

    static Manifest named(List<Manifest> manifests, String kind, String name) {
        return manifests.stream()
                .filter(each -> each.kind().equals(kind) && each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + kind + " " + name + " in " + manifests));
    }
}
