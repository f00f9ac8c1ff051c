package io.tensorfabric.interop;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Each adapter needs its own library and no other, since all of them are optional. */
@AnalyzeClasses(packages = "io.tensorfabric.interop", importOptions = ArchitectureTest.MainClasses.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule onlyTheAdapterOfOnnxRuntimeNeedsIt = noClasses()
            .that()
            .resideOutsideOfPackage("io.tensorfabric.interop.onnx..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("ai.onnxruntime..");

    @ArchTest
    static final ArchRule onlyTheAdapterOfDjlNeedsIt = noClasses()
            .that()
            .resideOutsideOfPackage("io.tensorfabric.interop.djl..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("ai.djl..");

    @ArchTest
    static final ArchRule nothingNeedsSpring =
            noClasses().should().dependOnClassesThat().resideInAPackage("org.springframework..");

    @ArchTest
    static final ArchRule adaptersKnowNothingOfEachOther =
            slices().matching("io.tensorfabric.interop.(*)..").should().notDependOnEachOther();

    /** Leaves out tests, whatever the build folder is called. */
    static final class MainClasses implements ImportOption {

        @Override
        public boolean includes(Location location) {
            return !location.contains("/test-classes/");
        }
    }
}
