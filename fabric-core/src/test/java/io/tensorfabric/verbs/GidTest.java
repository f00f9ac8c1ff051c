package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GidTest {

    private static Gid ofAddress(String address) throws Exception {
        return Gid.of(InetAddress.getByName(address));
    }

    @Test
    void whenAddressIsIpv4ThenMapped() throws Exception {
        Gid gid = ofAddress("10.77.0.1");
        assertThat(gid).hasToString("0000:0000:0000:0000:0000:ffff:0a4d:0001");
        assertThat(gid.isIpv4Mapped()).isTrue();
        assertThat(gid.isLinkLocal()).isFalse();
        assertThat(gid.isZero()).isFalse();
        assertThat(gid.toAddress()).isInstanceOf(Inet4Address.class).isEqualTo(InetAddress.getByName("10.77.0.1"));
    }

    @Test
    void whenAddressIsIpv6ThenAsItIs() throws Exception {
        Gid gid = ofAddress("2001:db8::1");
        assertThat(gid).hasToString("2001:0db8:0000:0000:0000:0000:0000:0001");
        assertThat(gid.isIpv4Mapped()).isFalse();
        assertThat(gid.toAddress()).isInstanceOf(Inet6Address.class);
        assertThat(Gid.of(gid.toAddress())).isEqualTo(gid);
    }

    @ParameterizedTest
    @CsvSource({
        "fe80::1,true",
        "febf:ffff::1,true",
        "fec0::1,false",
        "fe7f::1,false",
        "2001:db8::1,false",
        "169.254.0.1,false"
    })
    void whenOfTheLinkLocalPrefixThenLinkLocal(String address, boolean linkLocal) throws Exception {
        assertThat(ofAddress(address).isLinkLocal()).isEqualTo(linkLocal);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fe80:0000:0000:0000:5054:00ff:fe12:3456",
                "0000:0000:0000:0000:0000:ffff:0a4d:0001",
                "0000:0000:0000:0000:0000:0000:0000:0000"
            })
    void whenParsedThenFormattedTheSame(String text) {
        assertThat(Gid.parse(text)).hasToString(text);
        assertThat(Gid.parse(text.replace(":", ""))).isEqualTo(Gid.parse(text));
        assertThat(Gid.parse(text.toUpperCase(Locale.ROOT))).isEqualTo(Gid.parse(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "::1",
                "10.0.0.1",
                "fe80:0000:0000:0000:5054:00ff:fe12:345",
                "fe80:0000:0000:0000:5054:00ff:fe12:34567",
                "fe8:00000:0000:0000:5054:00ff:fe12:3456",
                ":fe80:0000:0000:0000:5054:00ff:fe12:3456",
                "fe80:0000:0000:0000:5054:00ff:fe12:345g",
                "fe80000000000000505400fffe12:3456"
            })
    void whenTextIsNotAGidThenRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Gid.parse(text));
    }

    @Test
    void whenLengthIsWrongThenRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> Gid.of(new byte[15]));
        assertThatIllegalArgumentException().isThrownBy(() -> Gid.of(new byte[17]));
    }

    @Test
    void whenTheBytesGivenOrReturnedChangeThenTheGidDoesNot() {
        byte[] given = new byte[Gid.LENGTH];
        Gid gid = Gid.of(given);
        given[0] = 1;
        gid.toBytes()[1] = 1;
        assertThat(gid.isZero()).isTrue();
        assertThat(gid.toBytes()).containsOnly(0);
    }

    @Test
    void whenBytesAreEqualThenGidsAreEqual() throws Exception {
        assertThat(ofAddress("10.0.0.1"))
                .isEqualTo(ofAddress("10.0.0.1"))
                .hasSameHashCodeAs(ofAddress("10.0.0.1"))
                .isNotEqualTo(ofAddress("10.0.0.2"))
                .isNotEqualTo("10.0.0.1");
    }
}
