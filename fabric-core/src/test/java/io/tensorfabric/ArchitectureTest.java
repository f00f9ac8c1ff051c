package io.tensorfabric;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Holds the floors of the library: a package uses only those below it. */
@AnalyzeClasses(packages = "io.tensorfabric", importOptions = ArchitectureTest.MainClasses.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule nothingReadsJavaObjectsFromTheWire =
            noClasses().should().dependOnClassesThat().haveFullyQualifiedName("java.io.ObjectInputStream");

    @ArchTest
    static final ArchRule packagesUseOnlyTheFloorsBelow = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.tensorfabric..")
            .withOptionalLayers(true)
            .layer("offheap")
            .definedBy("io.tensorfabric.offheap..")
            .layer("verbs")
            .definedBy("io.tensorfabric.verbs")
            .layer("verbs.soft")
            .definedBy("io.tensorfabric.verbs.soft..")
            .layer("memory")
            .definedBy("io.tensorfabric.memory..")
            .layer("topology")
            .definedBy("io.tensorfabric.topology..")
            .layer("tensor")
            .definedBy("io.tensorfabric.tensor..")
            .layer("connection")
            .definedBy("io.tensorfabric.connection..")
            .layer("transfer")
            .definedBy("io.tensorfabric.transfer..")
            .layer("diagnostics")
            .definedBy("io.tensorfabric.diagnostics..")
            .whereLayer("offheap")
            .mayNotAccessAnyLayer()
            .whereLayer("verbs")
            .mayOnlyAccessLayers("offheap")
            .whereLayer("verbs.soft")
            .mayOnlyAccessLayers("offheap", "verbs")
            .whereLayer("memory")
            .mayOnlyAccessLayers("offheap", "verbs")
            .whereLayer("topology")
            .mayNotAccessAnyLayer()
            .whereLayer("tensor")
            .mayOnlyAccessLayers("offheap", "memory")
            .whereLayer("connection")
            .mayOnlyAccessLayers("offheap", "verbs", "memory", "topology")
            .whereLayer("transfer")
            .mayOnlyAccessLayers("offheap", "verbs", "memory", "topology", "tensor", "connection")
            .whereLayer("diagnostics")
            .mayNotBeAccessedByAnyLayer()
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule packagesFormNoCycle =
            slices().matching("io.tensorfabric.(**)").should().beFreeOfCycles().allowEmptyShould(true);

    @ArchTest
    static final ArchRule theLowestFloorsNeedOnlyTheJdk = classes()
            .that()
            .resideInAnyPackage(
                    "io.tensorfabric.offheap..",
                    "io.tensorfabric.verbs",
                    "io.tensorfabric.verbs.soft..",
                    "io.tensorfabric.topology..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "javax..", "sun.misc", "org.jspecify..", "org.slf4j..", "io.tensorfabric..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule onlyOffheapTouchesRawMemory = noClasses()
            .that()
            .resideOutsideOfPackage("io.tensorfabric.offheap..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("sun.misc", "jdk.internal..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule nothingNamesSpring = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule nothingNamesTheNativeProvider = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.tensorfabric.verbs.ibverbs..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule nothingNamesTheSoftwareDeviceBesideItself = noClasses()
            .that()
            .resideOutsideOfPackage("io.tensorfabric.verbs.soft..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.tensorfabric.verbs.soft..")
            .because("providers are found by ServiceLoader")
            .allowEmptyShould(true);

    /** Leaves out tests, whatever the build folder is called. */
    static final class MainClasses implements ImportOption {

        @Override
        public boolean includes(Location location) {
            return !location.contains("/test-classes/");
        }
    }
}
