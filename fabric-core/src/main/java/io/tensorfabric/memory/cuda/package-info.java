/**
 * Memory of NVIDIA GPUs by JCuda's binding of the driver API: discovery, pools, registration with a verbs device, and
 * copies where there is no direct path. Loads and answers without JCuda, without a driver and without a GPU.
 */
@NullMarked
package io.tensorfabric.memory.cuda;

import org.jspecify.annotations.NullMarked;
