package io.tensorfabric.service.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What README and docs show in Java compiles against the present code. */
class JavaBlocksTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @Test
    void whenPagesShowJavaThenItCompiles(@TempDir Path classes) throws IOException {
        List<JavaBlock> blocks = new ArrayList<>();
        for (Path page : pages()) {
            blocks.addAll(JavaBlock.of(page));
        }
        List<JavaBlock> compiled = blocks.stream()
                .filter(block -> block.kind() != JavaBlock.Kind.SKETCH)
                .toList();

        assertThat(compiled)
                .extracting(JavaBlock::page)
                .contains("README.md", "getting-started.md", "listeners.md", "sending.md");
        assertThat(errors(compiled, classes)).isEmpty();
    }

    @Test
    void whenABlockIsWrongThenItIsNamed(@TempDir Path classes) throws IOException {
        JavaBlock wrong = new JavaBlock(
                "page.md", 7, JavaBlock.Kind.STATEMENTS, "Tensor tensor", List.of("int size = tensor.length();"));

        assertThat(errors(List.of(wrong), classes)).singleElement().asString().contains("page.md", "length()");
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            return Stream.concat(Stream.of(ROOT.resolve("README.md")), docs.sorted())
                    .filter(page -> page.toString().endsWith(".md"))
                    .toList();
        }
    }

    private static List<String> errors(List<JavaBlock> blocks, Path classes) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        List<String> options = List.of(
                "-proc:none",
                "--release",
                "17",
                "-d",
                classes.toString(),
                "-cp",
                System.getProperty("java.class.path"));
        List<Source> sources = blocks.stream().map(Source::new).toList();
        try (var files = compiler.getStandardFileManager(problems, null, null)) {
            compiler.getTask(null, files, problems, options, null, sources).call();
        }
        return problems.getDiagnostics().stream()
                .filter(problem -> problem.getKind() == javax.tools.Diagnostic.Kind.ERROR)
                .map(problem -> problem.getSource() + ": " + problem.getMessage(null))
                .toList();
    }

    /** A block as the compiler wants it. */
    private static final class Source extends SimpleJavaFileObject {

        private final JavaBlock block;

        Source(JavaBlock block) {
            super(
                    URI.create("block:///" + block.page() + "/" + block.line() + "/" + block.type() + ".java"),
                    Kind.SOURCE);
            this.block = block;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return block.source();
        }

        @Override
        public String toString() {
            return block.page() + " line " + block.line();
        }
    }
}
