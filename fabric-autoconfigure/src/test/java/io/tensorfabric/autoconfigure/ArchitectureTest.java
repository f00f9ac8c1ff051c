package io.tensorfabric.autoconfigure;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.constructors;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Holds Spring Boot's own conventions for auto-configuration, and the arrows between the modules. */
@AnalyzeClasses(packages = "io.tensorfabric.autoconfigure", importOptions = ArchitectureTest.MainClasses.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule autoConfigurationsArePublicAndFinal = classes()
            .that()
            .areAnnotatedWith(AutoConfiguration.class)
            .should()
            .bePublic()
            .andShould()
            .haveModifier(JavaModifier.FINAL)
            .andShould()
            .haveSimpleNameEndingWith("AutoConfiguration")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule autoConfigurationsHideTheirConstructors = constructors()
            .that()
            .areDeclaredInClassesThat()
            .areAnnotatedWith(AutoConfiguration.class)
            .should()
            .bePackagePrivate()
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule beanMethodsArePackagePrivate = methods()
            .that()
            .areAnnotatedWith(Bean.class)
            .should()
            .bePackagePrivate()
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule nothingNamesTheServicesAbove = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.tensorfabric.service..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule nothingNamesTheNativeProvider = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.tensorfabric.verbs.ibverbs..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule nothingReadsJavaObjectsOrTypesFromTheWire = noClasses()
            .should()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.io.ObjectInputStream")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("tools.jackson.databind.jsontype.PolymorphicTypeValidator")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("com.fasterxml.jackson.annotation.JsonTypeInfo");

    @ArchTest
    static final ArchRule packagesFormNoCycle = slices().matching("io.tensorfabric.autoconfigure.(**)")
            .should()
            .beFreeOfCycles()
            .allowEmptyShould(true);

    /** Leaves out tests, whatever the build folder is called. */
    static final class MainClasses implements ImportOption {

        @Override
        public boolean includes(Location location) {
            return !location.contains("/test-classes/");
        }
    }
}
