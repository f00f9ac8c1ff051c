package io.tensorfabric.service.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A block of Java on a page, and how it becomes a source file. The line before the block says what it is, as a comment that
 * readers do not see: {@code <!-- java: unit -->} for types (with what they need, in parentheses), {@code members} for what is in a class, {@code statements (Type
 * name, ...)} for what is in a method that has these parameters, {@code sketch} for what does not compile because it leaves
 * something out. A block that names its package needs no such line.
 */
record JavaBlock(String page, int line, Kind kind, String parameters, List<String> code) {

    enum Kind {
        UNIT,
        MEMBERS,
        STATEMENTS,
        SKETCH
    }

    private static final Pattern MARKER =
            Pattern.compile("<!-- java: (unit|members|statements|sketch)(?: \\((.*)\\))? -->");
    private static final Pattern TYPE = Pattern.compile("^public (?:final )?(?:class|record|interface) (\\w+)");

    /** What readers of a fragment know to import. */
    private static final List<String> KNOWN = List.of(
            "ai.djl.ndarray.*",
            "ai.onnxruntime.*",
            "io.tensorfabric.annotation.*",
            "io.tensorfabric.connection.*",
            "io.tensorfabric.interop.djl.*",
            "io.tensorfabric.interop.dlpack.*",
            "io.tensorfabric.interop.npy.*",
            "io.tensorfabric.interop.onnx.*",
            "io.tensorfabric.listener.*",
            "io.tensorfabric.memory.*",
            "io.tensorfabric.memory.cuda.*",
            "io.tensorfabric.tensor.*",
            "io.tensorfabric.test.*",
            "io.tensorfabric.transfer.*",
            "io.tensorfabric.verbs.*",
            "io.tensorfabric.verbs.soft.*",
            "java.nio.*",
            "java.nio.file.*",
            "java.time.*",
            "java.util.*",
            "java.util.concurrent.*",
            "jcuda.driver.*",
            "org.junit.jupiter.api.*",
            "org.springframework.beans.factory.annotation.*",
            "org.springframework.boot.test.context.*",
            "org.springframework.stereotype.*");

    /** All blocks of a page. */
    static List<JavaBlock> of(Path page) throws IOException {
        List<String> lines = Files.readAllLines(page);
        List<JavaBlock> blocks = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).equals("```java")) {
                int end = lines.subList(i + 1, lines.size()).indexOf("```") + i + 1;
                blocks.add(of(page, i, i == 0 ? "" : lines.get(i - 1), List.copyOf(lines.subList(i + 1, end))));
                i = end;
            }
        }
        return blocks;
    }

    private static JavaBlock of(Path page, int line, String before, List<String> code) {
        String name = page.getFileName().toString();
        Matcher marker = MARKER.matcher(before);
        if (marker.matches()) {
            String parameters = marker.group(2) == null ? "" : marker.group(2);
            return new JavaBlock(name, line + 1, Kind.valueOf(marker.group(1).toUpperCase()), parameters, code);
        }
        if (code.get(0).startsWith("package ")) {
            return new JavaBlock(name, line + 1, Kind.UNIT, "", code);
        }
        throw new AssertionError(
                page + " line " + (line + 1) + ": say above the block whether it is <!-- java: unit -->,"
                        + " members, statements (Type name, ...) or a sketch, which is not compiled");
    }

    /** The name of the type that the file is called by. */
    String type() {
        return code.stream()
                .map(TYPE::matcher)
                .filter(Matcher::find)
                .map(matcher -> matcher.group(1))
                .findFirst()
                .orElse("Block" + line);
    }

    /** A source file with the block, in a package of its own unless it names one. */
    String source() {
        if (code.get(0).startsWith("package ")) {
            return String.join("\n", code);
        }
        String imports = KNOWN.stream().map(known -> "import " + known + ";\n").collect(Collectors.joining())
                + code.stream().filter(JavaBlock::isImport).collect(Collectors.joining("\n"));
        String rest = code.stream().filter(line -> !isImport(line)).collect(Collectors.joining("\n"));
        String body = switch (kind) {
            case UNIT -> rest + "\n" + parameters;
            case MEMBERS -> "class " + type() + " {\n" + rest + "\n}";
            case STATEMENTS, SKETCH ->
                "class " + type() + " {\nvoid run(" + parameters + ") throws Exception {\n" + rest + "\n}\n}";
        };
        return "package " + page.replaceAll("\\W", "").toLowerCase() + line + ";\n" + imports + "\n" + body + "\n";
    }

    private static boolean isImport(String line) {
        return line.startsWith("import ");
    }
}
