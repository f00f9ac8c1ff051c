package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.tensor.safetensors.SafetensorsGenerator;
import io.tensorfabric.topology.Machines;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.ExpectedCondition;
import org.openqa.selenium.support.ui.ExpectedConditions;
import org.openqa.selenium.support.ui.WebDriverWait;

/** The page at {@code /fabric} in a browser: it shows a push as it happens. */
@Timeout(180)
@EnabledIf(
        value = "hasBrowser",
        disabledReason = "/usr/bin/chromium or /usr/bin/chromedriver is missing: install chromium and chromium-driver")
class DashboardIT {

    private static final File BROWSER = new File("/usr/bin/chromium");

    private static final File DRIVER = new File("/usr/bin/chromedriver");

    private static final Path SCREENSHOTS = Path.of("target", "screenshots");

    private static final Dimension DESK = new Dimension(1280, 1600);

    private static final Dimension PHONE = new Dimension(390, 844);

    /** For a peer that stands still longer than a healthy one may. */
    private static final String[] PATIENT = {
        "--fabric.connection.heartbeat-timeout=120s", "--fabric.connection.link.timeout=24"
    };

    private static final Duration PATIENCE = Duration.ofSeconds(40);

    @TempDir
    private Path folder;

    static boolean hasBrowser() {
        return BROWSER.canExecute() && DRIVER.canExecute();
    }

    private ChromeDriver browser() {
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.WARNING);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(BROWSER);
        options.setCapability("goog:loggingPrefs", logs);
        options.addArguments(
                "--headless=new",
                // As root there is no other way.
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--user-data-dir=" + folder.resolve("browser"));
        return new ChromeDriver(
                new ChromeDriverService.Builder().usingDriverExecutable(DRIVER).build(), options);
    }

    private static void await(ChromeDriver browser, ExpectedCondition<?> condition) {
        new WebDriverWait(browser, PATIENCE).until(condition);
    }

    private static void screenshot(ChromeDriver browser, String name) throws IOException {
        Files.createDirectories(SCREENSHOTS);
        Files.write(SCREENSHOTS.resolve(name + ".png"), browser.getScreenshotAs(OutputType.BYTES));
    }

    @Test
    void whenTensorsArePushedThenThePageShowsThemAndBothEndsAndThePreflight() throws Exception {
        try (TwoServices services = TwoServices.start(folder, PATIENT)) {
            ChromeDriver browser = browser();
            try {
                browser.manage().window().setSize(DESK);
                browser.get(services.a().url() + "/fabric");
                await(browser, ExpectedConditions.textToBePresentInElementLocated(By.id("node"), "a on soft0 (soft)"));
                await(browser, ExpectedConditions.textToBePresentInElementLocated(By.id("transfers"), "none yet"));

                Path file = folder.resolve("model.safetensors");
                SafetensorsGenerator.generate(file, 20_000_000, 3);
                String id = services.upload("model", file);
                services.push(id);

                await(browser, ExpectedConditions.textToBePresentInElementLocated(By.id("transfers"), "DONE"));
                await(browser, ExpectedConditions.textToBePresentInElementLocated(By.id("rates"), "pushed (1"));
                showsAPushAsItHappens(browser, services, id);
                assertBothEndsReadyToSend(browser);
                await(browser, ExpectedConditions.presenceOfElementLocated(By.cssSelector("#throughput canvas")));
                assertThat(browser.findElement(By.id("pools")).getText()).contains("in use");
                assertThat(browser.findElement(By.id("topology")).getText()).isNotBlank();
                preflight(browser);
                screenshot(browser, "fabric");
                fits(browser, "fabric-phone");
                assertThat(browser.manage().logs().get(LogType.BROWSER).getAll())
                        .as("complaints of the browser")
                        .isEmpty();
            } finally {
                browser.quit();
            }
        }
    }

    /** The receiver stands still meanwhile, so that the push lasts until the page was looked at. */
    private static void showsAPushAsItHappens(ChromeDriver browser, TwoServices services, String file)
            throws IOException, InterruptedException {
        Pattern underWay = Pattern.compile("[1-9][0-9]* in flight");
        services.b().suspend();
        try {
            ServiceProcess.ok(services.a().push(file, "{\"peer\": \"b\", \"deadline\": \"110s\"}", false));
            await(browser, ExpectedConditions.textMatches(By.id("rates"), underWay));
            await(browser, ExpectedConditions.textToBePresentInElementLocated(By.id("transfers"), "placed"));
        } finally {
            services.b().resume();
        }
        await(browser, ExpectedConditions.not(ExpectedConditions.textMatches(By.id("rates"), underWay)));
        await(
                browser,
                ExpectedConditions.not(
                        ExpectedConditions.textToBePresentInElementLocated(By.id("transfers"), "placed")));
        assertThat(browser.findElement(By.id("transfers")).getText()).doesNotContain("FAILED");
    }

    private static void assertBothEndsReadyToSend(ChromeDriver browser) {
        await(browser, ExpectedConditions.presenceOfElementLocated(By.cssSelector("#pairs .lane")));
        List<WebElement> lanes = browser.findElements(By.cssSelector("#pairs .lane"));
        assertThat(lanes).hasSizeGreaterThanOrEqualTo(2);
        List<String> current = browser.findElements(By.cssSelector("#pairs [aria-current=step]")).stream()
                .map(WebElement::getText)
                .toList();
        assertThat(current).hasSize(2 * lanes.size()).containsOnly("RTS");
    }

    private static void preflight(ChromeDriver browser) {
        WebElement button = browser.findElement(By.cssSelector("#peers button"));
        assertThat(button.getAccessibleName()).isEqualTo("Run the preflight to b");
        button.click();
        await(browser, ExpectedConditions.textToBePresentInElementLocated(By.id("ladder"), "across the MTU"));
        assertThat(browser.findElement(By.id("ladder-state")).getText()).matches("b: (OK|WARN), \\d+ ms");
    }

    @Test
    void whenTheMachineHasATreeOfCardsAndGpusThenItIsDrawnWithTheirDistancesInLightAndDark() throws Exception {
        Path dgx = folder.resolve("dgx");
        Path sysfs = folder.resolve("sys");
        Machines machine = Machines.dgx(dgx).asDevice("soft0", "mlx5_0").counter("soft0", "counters/symbol_error", 5);
        Machines.crossRoot(folder.resolve("cross")).asDevice("soft0", "mlx5_0");
        Files.createSymbolicLink(sysfs, dgx);
        try (ServiceProcess service = ServiceProcess.start(folder, "a", "--fabric.diagnostics.sysfs=" + sysfs)) {
            ChromeDriver browser = browser();
            try {
                browser.manage().window().setSize(DESK);
                browser.get(service.url() + "/fabric");
                await(browser, ExpectedConditions.presenceOfElementLocated(By.cssSelector("#topology svg")));
                assertThat(texts(browser, "#topology .numa-name")).containsExactly("NUMA node 0", "NUMA node 1");
                assertThat(texts(browser, "#topology .gpu .name")).hasSize(6).contains("GPU 03:00.0");
                assertThat(texts(browser, "#topology .card.used .name")).containsExactly("soft0 05:00.0");
                assertThat(texts(browser, "#topology .bow text"))
                        .containsExactlyInAnyOrder("PIX", "PIX", "PXB", "SYS", "SYS", "SYS");
                assertThat(texts(browser, "#distances tbody td")).hasSize(6 * 4).doesNotContain("", "UNKNOWN");
                WebElement drawing = browser.findElement(By.cssSelector("#topology svg"));
                assertThat(drawing.getAccessibleName()).isEqualTo("PCIe tree with 6 GPUs and 4 cards on 2 NUMA nodes");
                assertThat(browser.findElement(By.id("topology-description")).getAttribute("textContent"))
                        .contains("GPU 0000:03:00.0 and soft0: PIX, at most one PCIe switch lies between them");
                assertReadable(browser, "light");
                shoot(browser, drawing, "fabric-topology");
                browser.executeCdpCommand(
                        "Emulation.setEmulatedMedia",
                        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", "dark"))));
                assertReadable(browser, "dark");
                shoot(browser, drawing, "fabric-topology-dark");

                machine.counter("soft0", "counters/symbol_error", 905);
                await(browser, ExpectedConditions.textToBePresentInElementLocated(By.id("counters"), "905"));
                assertThat(texts(browser, "#counters .grows"))
                        .hasSize(1)
                        .first()
                        .asString()
                        .matches("[1-9][0-9.,]*");

                Files.delete(sysfs);
                Files.createSymbolicLink(sysfs, folder.resolve("cross"));
                await(browser, ExpectedConditions.numberOfElementsToBe(By.cssSelector("#topology .gpu"), 2));
                assertThat(texts(browser, "#topology .bow text")).containsExactlyInAnyOrder("NODE", "SYS");
                assertThat(texts(browser, "#topology .card .warn")).containsExactly("8 GT/s x8 of 16 GT/s x16");
                fits(browser, "fabric-topology-phone");
                shoot(browser, browser.findElement(By.id("topology")), "fabric-topology-phone");
                assertThat(browser.manage().logs().get(LogType.BROWSER).getAll())
                        .as("complaints of the browser")
                        .isEmpty();
            } finally {
                browser.quit();
            }
        }
    }

    private static List<String> texts(ChromeDriver browser, String selector) {
        return browser.findElements(By.cssSelector(selector)).stream()
                .map(element -> element.getAttribute("textContent"))
                .toList();
    }

    private static void shoot(ChromeDriver browser, WebElement element, String name) throws IOException {
        browser.executeScript("arguments[0].scrollIntoView()", element);
        screenshot(browser, name);
    }

    /** No text of the drawing leaves its box or covers another, and all stand out from what is behind them. */
    private static void assertReadable(ChromeDriver browser, String scheme) throws IOException {
        String script = Files.readString(Path.of("src/test/resources/dashboard/readable.js"));
        assertThat((List<?>) browser.executeScript(script)).as("in " + scheme).isEmpty();
    }

    /** On a phone nothing but tables and lanes scrolls sideways. */
    private static void fits(ChromeDriver browser, String name) throws IOException {
        browser.manage().window().setSize(PHONE);
        await(
                browser,
                driver -> Boolean.TRUE.equals(browser.executeScript(
                        "return document.documentElement.scrollWidth <= document.documentElement.clientWidth")));
        screenshot(browser, name);
    }
}
