package io.tensorfabric.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DataTypeTest {

    @Test
    void wireCodesNeverChange() {
        String codes = Stream.of(DataType.values())
                .map(type -> type.code() + "=" + type + ":" + type.bits())
                .collect(Collectors.joining(" "));
        assertThat(codes)
                .isEqualTo("1=BOOL:8 2=F4:4 3=F6_E2M3:6 4=F6_E3M2:6 5=U8:8 6=I8:8 7=F8_E5M2:8 8=F8_E4M3:8 9=F8_E8M0:8"
                        + " 10=F8_E4M3FNUZ:8 11=F8_E5M2FNUZ:8 12=I16:16 13=U16:16 14=F16:16 15=BF16:16 16=I32:32"
                        + " 17=U32:32 18=F32:32 19=C64:64 20=F64:64 21=I64:64 22=U64:64");
    }

    @ParameterizedTest
    @EnumSource
    void whenLookedUpByCodeOrNameThenTheSame(DataType type) {
        assertThat(DataType.fromCode(type.code())).isSameAs(type);
        assertThat(DataType.fromName(type.name())).containsSame(type);
    }

    @Test
    void whenCodeOrNameIsUnknownThenRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> DataType.fromCode(0));
        assertThatIllegalArgumentException().isThrownBy(() -> DataType.fromCode(23));
        assertThat(DataType.fromName("f32")).isEmpty();
    }

    @Test
    void whenElementsAreNarrowerThanAByteThenOnlyWholeBytesAreAccepted() {
        assertThat(DataType.F4.byteLength(2)).isEqualTo(1);
        assertThatIllegalArgumentException().isThrownBy(() -> DataType.F4.byteLength(3));
        assertThat(DataType.F6_E2M3.byteLength(4)).isEqualTo(3);
        assertThatIllegalArgumentException().isThrownBy(() -> DataType.F6_E3M2.byteLength(2));
        assertThat(DataType.F4.byteLength(0)).isZero();
    }

    @Test
    void whenBoolOrComplexThenSizesAreThoseOfTheFormat() {
        assertThat(DataType.BOOL.byteLength(63)).isEqualTo(63);
        assertThat(DataType.BOOL.byteLength(21)).isEqualTo(21);
        assertThat(DataType.C64.byteLength(1)).isEqualTo(8);
    }

    @Test
    void whenBitsOverflowThenRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> DataType.U8.byteLength(1L << 60));
        assertThatIllegalArgumentException().isThrownBy(() -> DataType.F64.byteLength(1L << 57));
        assertThatIllegalArgumentException().isThrownBy(() -> DataType.F64.byteLength(-1));
        assertThat(DataType.F64.byteLength(1L << 56)).isEqualTo(1L << 59);
    }
}
