package io.tensorfabric.bench.chaos;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** What nodes reach each other through. */
interface Network {

    /** Opens the way to a node. */
    DataPath pathTo(Node.Place place) throws IOException;

    /** Properties with which a node uses it. */
    List<String> properties(Node.Place place);

    /** The faults that can happen here, with their weights. */
    Map<Fault.Kind, Integer> faults();

    /** How many times longer than on a machine of one's own the scheduling of threads may take. */
    int slowness();

    /** How many times rarer faults are than on a machine of one's own, so that there is a load between them. */
    int rarity();
}
