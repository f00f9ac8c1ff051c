package io.tensorfabric.interop.dlpack;

import io.tensorfabric.tensor.DataType;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/** The types that both sides have: code and bits of {@code DLDataType}, always with one lane. */
final class DlpackTypes {

    private static final Map<DataType, Integer> CODES = new EnumMap<>(Map.ofEntries(
            Map.entry(DataType.I8, 0),
            Map.entry(DataType.I16, 0),
            Map.entry(DataType.I32, 0),
            Map.entry(DataType.I64, 0),
            Map.entry(DataType.U8, 1),
            Map.entry(DataType.U16, 1),
            Map.entry(DataType.U32, 1),
            Map.entry(DataType.U64, 1),
            Map.entry(DataType.F16, 2),
            Map.entry(DataType.F32, 2),
            Map.entry(DataType.F64, 2),
            Map.entry(DataType.BF16, 4),
            Map.entry(DataType.C64, 5),
            Map.entry(DataType.BOOL, 6),
            Map.entry(DataType.F8_E4M3, 10), // kDLFloat8_e4m3fn: finite, as safetensors means it
            Map.entry(DataType.F8_E4M3FNUZ, 11),
            Map.entry(DataType.F8_E5M2, 12),
            Map.entry(DataType.F8_E5M2FNUZ, 13),
            Map.entry(DataType.F8_E8M0, 14),
            Map.entry(DataType.F6_E2M3, 15),
            Map.entry(DataType.F6_E3M2, 16),
            Map.entry(DataType.F4, 17)));

    private DlpackTypes() {}

    static int code(DataType type) {
        Integer code = CODES.get(type);
        if (code == null) {
            throw new DlpackException("DLPack has no type for " + type);
        }
        return code;
    }

    static DataType type(int code, int bits, int lanes) {
        if (lanes != 1) {
            throw new DlpackException("Vector types are not taken: the tensor has " + lanes + " lanes");
        }
        return Arrays.stream(DataType.values())
                .filter(type -> CODES.getOrDefault(type, -1) == code && type.bits() == bits)
                .findFirst()
                .orElseThrow(() -> new DlpackException(
                        "There is no tensor type for DLPack's type code " + code + " with " + bits + " bits"));
    }
}
