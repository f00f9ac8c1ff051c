package io.tensorfabric.bench.peers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openucx.jucx.UcxException;

/** The carriers of other ways, and why some are not here. Closing it closes them. */
public final class Carriers implements AutoCloseable {

    private final List<Carrier> open = new ArrayList<>();

    private final Map<String, String> missing = new LinkedHashMap<>();

    private interface Way {
        Carrier open() throws IOException;
    }

    private Carriers() {}

    /**
     * All of them.
     *
     * @throws IOException if one cannot be opened though this machine has what it needs
     */
    public static Carriers open(Ports ports) throws IOException {
        Carriers carriers = new Carriers();
        try {
            carriers.add(new NioCarrier(ports.nio()));
            carriers.add(new GrpcCarrier(ports.grpc()));
            carriers.add(new FlightCarrier(ports.flight()));
            carriers.add(new RestCarrier(ports.http()));
            carriers.add("ucx-shm", () -> new UcxCarrier("ucx-shm", ports.ucx(), "posix,sysv,self,cma"));
            carriers.add("ucx-tcp", () -> new UcxCarrier("ucx-tcp", ports.ucx(), "tcp,self"));
            return carriers;
        } catch (IOException | RuntimeException ex) {
            carriers.close();
            throw ex;
        }
    }

    private void add(Carrier carrier) {
        open.add(carrier);
    }

    /** Adds a way whose native libraries may not be on this machine. */
    private void add(String name, Way way) throws IOException {
        try {
            open.add(way.open());
        } catch (LinkageError | UcxException ex) {
            missing.put(name, String.valueOf(ex.getMessage()));
        }
    }

    /** Those that are here. */
    public List<Carrier> all() {
        return open;
    }

    /** Why others are not, by name. */
    public Map<String, String> missing() {
        return missing;
    }

    @Override
    public void close() throws IOException {
        IOException failure = null;
        for (Carrier carrier : open) {
            try {
                carrier.close();
            } catch (IOException ex) {
                failure = ex;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
