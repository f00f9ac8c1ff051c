package io.tensorfabric.verbs.soft;

import java.nio.channels.GatheringByteChannel;

/** Where one end of a connection writes its frames. */
interface FramePath {

    GatheringByteChannel output();

    /** From now on frames go by this ring; none is in the socket's way any more. */
    void writeTo(ByteRing ring);
}
