package io.tensorfabric.autoconfigure.info;

import io.tensorfabric.autoconfigure.FabricLifecycle;
import io.tensorfabric.autoconfigure.FabricNode;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/** Says in a few words what this node is; nothing that an outsider could use. */
final class FabricInfoContributor implements InfoContributor {

    private final FabricLifecycle lifecycle;

    FabricInfoContributor(FabricLifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    @Override
    public void contribute(Info.Builder builder) {
        FabricNode node = lifecycle.node();
        if (node == null) {
            return;
        }
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("nodeId", node.connections().identity().nodeId());
        details.put("provider", node.providerName());
        details.put("device", node.device().deviceName());
        details.put("gpus", node.gpus().memories().size());
        builder.withDetail("fabric", details);
    }
}
