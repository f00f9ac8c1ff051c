package io.tensorfabric.service.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Links from page to page lead somewhere, headings included. */
class LinksTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");

    @Test
    void whenAPageLinksToAnotherThenItIsThere() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path page : pages()) {
            Matcher link = LINK.matcher(Files.readString(page));
            while (link.find()) {
                if (!link.group(1).startsWith("http")) {
                    links++;
                    if (!leadsSomewhere(page, link.group(1))) {
                        broken.add(ROOT.relativize(page) + ": " + link.group(1));
                    }
                }
            }
        }
        assertThat(links).isGreaterThan(50);
        assertThat(broken).isEmpty();
    }

    @Test
    void whenAHeadingIsNotThereThenTheLinkIsBroken() throws IOException {
        Path readme = ROOT.resolve("README.md");

        assertThat(leadsSomewhere(readme, "docs/security.md#what-does-not-hold"))
                .isTrue();
        assertThat(leadsSomewhere(readme, "docs/security.md#what-holds")).isFalse();
        assertThat(leadsSomewhere(readme, "docs/nowhere.md")).isFalse();
    }

    @Test
    void whenAPageIsAddedThenTheReadmeOrAnotherPageLeadsToIt() throws IOException {
        String all = pages().stream().map(LinksTest::read).collect(Collectors.joining());

        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            assertThat(docs.map(page -> page.getFileName().toString()).filter(name -> name.endsWith(".md")))
                    .allMatch(name -> all.contains(name + ")") || all.contains(name + "#"));
        }
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"));
                Stream<Path> top = Files.list(ROOT)) {
            return Stream.concat(top, docs)
                    .filter(page -> page.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    private static boolean leadsSomewhere(Path page, String target) throws IOException {
        int hash = target.indexOf('#');
        String file = hash < 0 ? target : target.substring(0, hash);
        Path to = file.isEmpty() ? page : page.resolveSibling(file).normalize();
        if (!Files.exists(to)) {
            return false;
        }
        return hash < 0
                || Files.readAllLines(to).stream()
                        .filter(line -> line.startsWith("#"))
                        .anyMatch(line -> anchor(line).equals(target.substring(hash + 1)));
    }

    /** As GitHub makes it of a heading. */
    private static String anchor(String heading) {
        return heading.replaceFirst("^#+ ", "")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
    }

    private static String read(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException e) {
            throw new AssertionError("cannot read " + page, e);
        }
    }
}
