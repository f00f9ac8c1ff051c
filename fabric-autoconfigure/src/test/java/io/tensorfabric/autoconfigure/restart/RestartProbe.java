package io.tensorfabric.autoconfigure.restart;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/**
 * A process that does what Spring Boot's DevTools do: it starts an application in a class loader of its own, stops it and
 * starts it again in another one. Between them nothing may be left: no thread, no memory outside the heap, no library, and
 * in the end no class loader. Its argument is what the names of the classes in that loader begin with: all of ours, as in a
 * web container, or the application's alone, since DevTools leave what lies in jars to the loader above. Prints what it saw,
 * and as its last line {@code ok} or what is left.
 */
public final class RestartProbe {

    static final String ALL = "io.tensorfabric.";
    static final String APPLICATION = "io.tensorfabric.autoconfigure.restart.RestartedApplication";
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int ROUNDS = 2;

    private RestartProbe() {}

    private record Last(Class<RestartProbe> type) {}

    public static void main(String[] arguments) throws Exception {
        // The JVM's one thread for delays keeps the class loader of whoever needs it first, the JDK's HTTP client
        // mostly.
        CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS))
                .get(10, TimeUnit.SECONDS);
        // And so does the binder of properties, which Spring Boot makes once.
        new Binder(new MapConfigurationPropertySource(Map.of("types", "java.lang.String")))
                .bind("types", Bindable.of(Class[].class));
        Set<Long> before = threads();
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        for (int round = 1; round <= ROUNDS; round++) {
            loaders.add(round(arguments[0]));
            // The JDK's HTTP client has no other end than being garbage before Java 21.
            if (!await(() -> {
                System.gc();
                return names(before).isEmpty();
            })) {
                end("threads are left after round " + round + ": " + names(before));
            }
            System.out.println("round " + round + " started, listened, pushed and stopped");
        }
        // Java 17 remembers the type of the last record that it made a comparison for, and with it a loader: give it
        // another.
        if (!new Last(RestartProbe.class).equals(new Last(RestartProbe.class))) {
            end("records are not equal");
        }
        for (WeakReference<ClassLoader> loader : loaders) {
            if (!await(() -> {
                System.gc();
                return loader.get() == null;
            })) {
                end("class loader " + (loaders.indexOf(loader) + 1) + " of " + ROUNDS + " is still reachable");
            }
        }
        // What is loaded once for all restarts stays.
        if (arguments[0].equals(ALL)
                && !await(() -> {
                    System.gc();
                    return libraries().isEmpty();
                })) {
            end("libraries are left: " + libraries());
        }
        end("ok");
    }

    private static WeakReference<ClassLoader> round(String names) throws Exception {
        try (RestartLoader loader = new RestartLoader(names)) {
            Thread.currentThread().setContextClassLoader(loader);
            Method run = loader.loadClass(APPLICATION).getMethod("run");
            String problem = (String) run.invoke(null);
            if (!problem.isEmpty()) {
                end(problem);
            }
            return new WeakReference<>(loader);
        } finally {
            Thread.currentThread().setContextClassLoader(RestartProbe.class.getClassLoader());
        }
    }

    private static void end(String last) {
        System.out.println(last);
        System.exit(last.equals("ok") ? 0 : 1);
    }

    private static boolean await(BooleanSupplier condition) throws InterruptedException {
        Instant deadline = Instant.now().plus(PATIENCE);
        while (!condition.getAsBoolean()) {
            if (Instant.now().isAfter(deadline)) {
                return false;
            }
            Thread.sleep(50);
        }
        return true;
    }

    private static Set<Long> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getId).collect(Collectors.toSet());
    }

    /** Threads that were not there at first, but those of the JVM that come and go, or stay for good once they are needed. */
    private static Set<String> names(Set<Long> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread.getId()))
                .map(Thread::getName)
                .filter(name -> !name.matches("Common-Cleaner|process reaper.*|Keep-Alive-Timer|Attach Listener"
                        + "|Cleaner-\\d+|Java2D.*|ForkJoinPool\\.commonPool.*"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<String> libraries() {
        Path maps = Path.of("/proc/self/maps");
        if (!Files.exists(maps)) {
            return List.of();
        }
        try {
            return Files.readAllLines(maps).stream()
                    .filter(line -> line.contains("libtensorfabric_verbs"))
                    .map(line -> line.substring(line.indexOf('/')))
                    .distinct()
                    .toList();
        } catch (IOException e) {
            throw new IllegalStateException("The process cannot read what it has mapped", e);
        }
    }

    /** Has classes of the given names itself, of the same places, and all others from the loader above. */
    private static final class RestartLoader extends URLClassLoader {

        private final String names;

        RestartLoader(String names) {
            super(places(), RestartProbe.class.getClassLoader());
            this.names = names;
        }

        private static URL[] places() {
            return java.util.Arrays.stream(System.getProperty("java.class.path").split(java.io.File.pathSeparator, -1))
                    .map(Path::of)
                    .filter(path -> Files.isDirectory(path)
                            || path.getFileName().toString().startsWith("fabric-"))
                    .map(RestartLoader::url)
                    .toArray(URL[]::new);
        }

        private static URL url(Path path) {
            try {
                return path.toUri().toURL();
            } catch (IOException e) {
                throw new IllegalStateException("No place of classes: " + path, e);
            }
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                if (!name.startsWith(names)) {
                    return super.loadClass(name, resolve);
                }
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : findClass(name);
            }
        }
    }
}
