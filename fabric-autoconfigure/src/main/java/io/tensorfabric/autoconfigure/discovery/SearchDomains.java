package io.tensorfabric.autoconfigure.discovery;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Completes names by the rules of resolv.conf(5), which the JDK's DNS client does not follow. Reads the file each time. */
final class SearchDomains {

    static final Path SYSTEM = Path.of("/etc/resolv.conf");

    private static final String DOTS = "ndots:";

    private static final int MAX_DOTS = 15;

    private final Path file;

    SearchDomains(Path file) {
        this.file = file;
    }

    /** The names to ask for, in this order, each with its final dot. */
    List<String> candidates(String name) {
        if (name.endsWith(".")) {
            return List.of(name);
        }
        List<String> domains = List.of();
        int dots = 1;
        for (String line : lines()) {
            String[] words = line.strip().split("\\s+");
            if (words[0].equals("search") || words[0].equals("domain")) {
                domains = List.of(words).subList(1, words.length);
            } else if (words[0].equals("options")) {
                dots = dots(words, dots);
            }
        }
        List<String> candidates = new ArrayList<>();
        for (String domain : domains) {
            candidates.add(domain.endsWith(".") ? name + "." + domain : name + "." + domain + ".");
        }
        boolean complete = name.chars().filter(c -> c == '.').count() >= dots;
        candidates.add(complete ? 0 : candidates.size(), name + ".");
        return candidates;
    }

    private static int dots(String[] options, int present) {
        int dots = present;
        for (String option : options) {
            if (option.startsWith(DOTS) && option.substring(DOTS.length()).matches("[0-9]{1,3}")) {
                dots = Math.min(MAX_DOTS, Integer.parseInt(option.substring(DOTS.length())));
            }
        }
        return dots;
    }

    private List<String> lines() {
        try {
            return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
        } catch (IOException ex) {
            return List.of(); // As resolv.conf(5) has it: without the file there are no search domains.
        }
    }
}
