package io.tensorfabric.autoconfigure;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.constructors;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

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
            .haveSimpleNameEndingWith("AutoConfiguration");

    @ArchTest
    static final ArchRule autoConfigurationsHideTheirConstructors = constructors()
            .that()
            .areDeclaredInClassesThat()
            .areAnnotatedWith(AutoConfiguration.class)
            .should()
            .bePackagePrivate();

    @ArchTest
    static final ArchRule beanMethodsArePackagePrivate =
            methods().that().areAnnotatedWith(Bean.class).should().bePackagePrivate();

    /** On a method Spring would load the method's types before the condition is asked. */
    @ArchTest
    static final ArchRule conditionsOnClassesStandOnClasses = methods()
            .should()
            .notBeAnnotatedWith(ConditionalOnClass.class)
            .andShould()
            .notBeAnnotatedWith(ConditionalOnMissingClass.class);

    @ArchTest
    static final ArchRule configurationsAreNotProxied = classes()
            .that()
            .areAnnotatedWith(Configuration.class)
            .should(new ArchCondition<>("have no proxies of their bean methods") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                    boolean proxied =
                            type.getAnnotationOfType(Configuration.class).proxyBeanMethods();
                    events.add(new SimpleConditionEvent(type, !proxied, type.getName() + " has proxyBeanMethods"));
                }
            });

    /** What is named there as a text is found neither by the compiler nor by renaming. */
    @ArchTest
    static void autoConfigurationsAreListedAndWhatIsListedIsThere(JavaClasses types) throws IOException {
        List<String> there = types.stream()
                .filter(type -> type.isAnnotatedWith(AutoConfiguration.class))
                .map(JavaClass::getName)
                .toList();
        try (InputStream listed = ArchitectureTest.class.getResourceAsStream(
                "/META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports")) {
            assertThat(new String(listed.readAllBytes(), StandardCharsets.UTF_8).lines())
                    .containsExactlyInAnyOrderElementsOf(there);
        }
        for (String name : there) {
            AutoConfiguration order = types.get(name).getAnnotationOfType(AutoConfiguration.class);
            assertThat(Stream.of(order.beforeName(), order.afterName()).flatMap(Arrays::stream))
                    .as(name)
                    .filteredOn(other -> other.startsWith("io.tensorfabric."))
                    .allMatch(there::contains);
        }
    }

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
