# shellcheck shell=bash disable=SC2154 # names from lib.sh
# ./dev image: the container image of tensor-service as an archive, without an engine and without a registry. A Java
# runtime of jlink, the libraries that it needs and rdma-core come from this machine and its packages.

readonly image_state=$PWD/.dev/image
readonly image_root=$image_state/root
readonly image_blobs=$image_state/archive/blobs/sha256
readonly image_jar=tensor-service/target/tensor-service.jar
readonly image_uid=65532
readonly image_limit_mb=150
# Layers, lowest first: what changes most seldom comes first.
readonly image_layers=(base dependencies application)
# All of java.se would do as well, at twice the size.
readonly image_modules=java.compiler,java.desktop,java.instrument,java.logging,java.management,java.naming,java.net.http\
,java.prefs,java.rmi,java.scripting,java.security.jgss,java.security.sasl,java.sql,java.xml,jdk.crypto.ec,jdk.jfr\
,jdk.management,jdk.naming.dns,jdk.unsupported,jdk.zipfs
image_tag=tensor-service:0.1.0-SNAPSHOT
image_file=$image_state/tensor-service.tar

image_usage() {
  cat <<'TEXT'
usage: ./dev image [--tag NAME:TAG] [--out FILE]

Writes the image of tensor-service as an archive that docker load, podman load, ctr images import, kind load
image-archive and skopeo take. Needs no engine, no registry and no root.

  --tag NAME:TAG  name of the image (tensor-service:0.1.0-SNAPSHOT)
  --out FILE      the archive (.dev/image/tensor-service.tar)
TEXT
}

image_options() {
  while [[ $# -gt 0 ]]; do
    case $1 in
      --tag | --out)
        [[ $# -ge 2 ]] || die "$1 needs a value"
        if [[ $1 == --tag ]]; then image_tag=$2; else image_file=$2; fi
        shift
        ;;
      -h | --help)
        image_usage
        exit 0
        ;;
      *)
        image_usage >&2
        die "unknown option of image: $1"
        ;;
    esac
    shift
  done
  [[ $image_file == /* ]] || image_file=$CALLER_FOLDER/$image_file
}

run_image() {
  image_options "$@"
  [[ $(uname -s) == Linux ]] || die "an image for Linux is made of a Linux machine's files: run this there"
  need_java
  if [[ ! -f $image_jar ]]; then
    need_maven
    need_native
    mvn_run -q package -DskipTests -pl tensor-service -am
  fi
  rm -rf "$image_root"
  image_base
  image_service
  image_archive
  local bytes mb
  bytes=$(du -sb "$image_root" | cut -f1)
  mb=$((bytes / 1000000))
  [[ $mb -lt $image_limit_mb ]] || die "the image has $mb MB, more than $image_limit_mb"
  printf 'image ok: %s in %s, %d MB\n' "$image_tag" "$image_file" "$mb"
}

# The runtime, and what it and rdma-core link to.
image_base() {
  local base=$image_root/base
  say "making a Java runtime of JDK $(java_release "$JAVA_HOME")"
  mkdir -p "$base/opt" "$base/etc" "$base/usr/lib64" "$base/proc" "$base/sys" "$base/dev" "$base/tmp"
  "$JAVA_HOME/bin/jlink" --add-modules "$image_modules" --strip-debug --no-man-pages --no-header-files --compress=2 \
    --output "$base/opt/java" >/dev/null
  # They draw on screens and play sounds.
  rm -f "$base"/opt/java/lib/lib{awt_xawt,splashscreen,jsound,jawt,fontmanager,javajpeg,lcms}.so
  # jlink leaves out the archive of the JDK's own classes, without which a start takes twice as long.
  "$base/opt/java/bin/java" -Xshare:dump >/dev/null 2>&1
  image_rdma_core
  image_libraries
  chmod 1777 "$base/tmp"
  printf 'root:x:0:0:root:/tmp:/none\nfabric:x:%d:%d:Tensor Fabric:/tmp:/none\n' $image_uid $image_uid >"$base/etc/passwd"
  printf 'root:x:0:\nfabric:x:%d:\n' $image_uid >"$base/etc/group"
  printf 'hosts: files dns\n' >"$base/etc/nsswitch.conf"
  # For the NVIDIA runtime, which renews the loader's cache after it has put the driver's libraries in.
  printf '/usr/lib64\n/usr/local/nvidia/lib64\n' >"$base/etc/ld.so.conf"
}

# libibverbs and its providers, from packages that need not be installed.
image_rdma_core() {
  local debs=$image_state/debs unpacked=$image_state/unpacked deb
  if ! compgen -G "$debs/ibverbs-providers_*.deb" >/dev/null; then
    have apt-get || die "rdma-core comes from packages of Debian or Ubuntu: run this there"
    say "downloading rdma-core"
    mkdir -p "$debs"
    (cd "$debs" && apt-get -qq -o APT::Sandbox::User=root download libibverbs1 ibverbs-providers libnl-3-200 \
      libnl-route-3-200) || die "rdma-core cannot be downloaded: run apt-get update"
  fi
  rm -rf "$unpacked"
  mkdir -p "$unpacked"
  for deb in "$debs"/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$unpacked"
  done
  find "$unpacked" -name 'lib*.so*' \( -path '*/libibverbs/*' -prune -o -print0 \) |
    xargs -0 -I{} cp -a {} "$image_root/base/usr/lib64/"
  # Providers are looked for where libibverbs was built to find them.
  local providers
  providers=$(cd "$unpacked" && find . -type d -name libibverbs | head -n 1)
  mkdir -p "$image_root/base/$providers"
  cp -a "$unpacked/$providers/." "$image_root/base/$providers/"
  cp -a "$unpacked/etc/libibverbs.d" "$image_root/base/etc/"
}

# Everything that is linked to, into /usr/lib64, and the loader where programs name it.
image_libraries() {
  local base=$image_root/base file loader
  {
    find "$base/opt/java" "$base/usr" -type f \( -name '*.so*' -o -path '*/bin/java' \) -print0 |
      LD_LIBRARY_PATH=$base/usr/lib64:$base/opt/java/lib:$base/opt/java/lib/server xargs -0 -n 1 ldd 2>/dev/null |
      sed -n 's/.*=> \(\/[^ ]*\) (0x.*/\1/p; s/^\t\(\/[^ ]*\) (0x.*/\1/p'
    # Looked up by name at run time.
    ldconfig -p | sed -n 's/.*\(libnss_\(dns\|files\)\|libresolv\)\.so\.2 .*=> //p'
  } | sort -u | while IFS= read -r file; do
    case $file in
      "$base"/*) ;;
      */libX* | */libxcb* | */libasound* | */libfreetype* | */libpng*) ;;
      */ld-linux*)
        loader=$base/$(image_loader)
        mkdir -p "$(dirname "$loader")"
        cp -L "$file" "$loader"
        ;;
      *) cp -L "$file" "$base/usr/lib64/" ;;
    esac
  done
}

# Where the java of the runtime expects its loader.
image_loader() {
  LC_ALL=C readelf -l "$image_root/base/opt/java/bin/java" 2>/dev/null | sed -n 's/.*interpreter: \(.*\)]/\1/p' |
    grep . || printf '/lib64/ld-linux-x86-64.so.2'
}

# The service, unpacked by Boot's own tools; libraries of others in a layer of their own.
image_service() {
  local unpacked=$image_state/service target native
  say "unpacking the service into layers"
  rm -rf "$unpacked"
  "$JAVA_HOME/bin/java" -Djarmode=tools -jar "$image_jar" extract --layers --destination "$unpacked" >/dev/null
  for target in dependencies application; do
    mkdir -p "$image_root/$target/opt/tensor-service"
  done
  cp -a "$unpacked/dependencies/." "$image_root/dependencies/opt/tensor-service/"
  for target in spring-boot-loader snapshot-dependencies application; do
    [[ ! -d $unpacked/$target ]] || cp -a "$unpacked/$target/." "$image_root/application/opt/tensor-service/"
  done
  native=$image_root/application/opt/tensor-service/native
  mkdir -p "$native"
  (cd "$native" && "$JAVA_HOME/bin/jar" -xf "$image_root"/application/opt/tensor-service/lib/fabric-native-*.jar \
    META-INF/native)
  find "$native" -name "libtensorfabric_verbs-*.so" -path "*linux-$(uname -m)*" \
    -exec mv {} "$native/libtensorfabric_verbs.so" \;
  rm -rf "$native/META-INF"
  [[ -f $native/libtensorfabric_verbs.so ]] || die "the service was built without the verbs shim: install cmake, gcc and \
libibverbs-dev, and remove $image_jar"
}

image_digest() {
  sha256sum "$1" | cut -d' ' -f1
}

# Puts a file among the blobs under its digest, and prints that.
image_blob() {
  local digest
  digest=$(image_digest "$1")
  mv "$1" "$image_blobs/$digest"
  printf '%s' "$digest"
}

# An archive that is both: an OCI layout, and what docker load of any age takes.
image_archive() {
  local layer digest ids='' blobs='' paths='' config manifest size scratch=$image_state/scratch
  say "writing $image_file"
  rm -rf "$image_state/archive"
  mkdir -p "$image_blobs"
  for layer in "${image_layers[@]}"; do
    tar -c --sort=name --mtime=@1767225600 --owner=0 --group=0 --numeric-owner -C "$image_root/$layer" -f "$scratch" .
    size=$(stat -c %s "$scratch")
    digest=$(image_blob "$scratch")
    ids+="${ids:+, }\"sha256:$digest\""
    paths+="${paths:+, }\"blobs/sha256/$digest\""
    blobs+="${blobs:+, }{\"mediaType\": \"application/vnd.oci.image.layer.v1.tar\", \"digest\": \"sha256:$digest\", \"size\": $size}"
  done
  image_config "$ids" >"$scratch"
  size=$(stat -c %s "$scratch")
  config=$(image_blob "$scratch")
  printf '{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": "sha256:%s", "size": %d}, "layers": [%s]}' \
    "$config" "$size" "$blobs" >"$scratch"
  size=$(stat -c %s "$scratch")
  manifest=$(image_blob "$scratch")
  printf '{"imageLayoutVersion": "1.0.0"}' >"$image_state/archive/oci-layout"
  printf '{"schemaVersion": 2, "manifests": [{"mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": "sha256:%s", "size": %d, "annotations": {"io.containerd.image.name": "docker.io/library/%s", "org.opencontainers.image.ref.name": "%s"}}]}' \
    "$manifest" "$size" "$image_tag" "${image_tag##*:}" >"$image_state/archive/index.json"
  printf '[{"Config": "blobs/sha256/%s", "RepoTags": ["%s"], "Layers": [%s]}]' \
    "$config" "$image_tag" "$paths" >"$image_state/archive/manifest.json"
  tar -c --sort=name --mtime=@1767225600 --owner=0 --group=0 --numeric-owner -C "$image_state/archive" -f "$image_file" \
    blobs index.json manifest.json oci-layout
  rm -rf "$image_state/archive"
}

# What the Dockerfile says, in the words of the image; a test holds them equal.
image_config() {
  local architecture
  case $(uname -m) in
    x86_64) architecture=amd64 ;;
    aarch64) architecture=arm64 ;;
    *) architecture=$(uname -m) ;;
  esac
  cat <<JSON
{
  "created": "2026-01-01T00:00:00Z",
  "architecture": "$architecture",
  "os": "linux",
  "config": {
    "User": "$image_uid:$image_uid",
    "WorkingDir": "/tmp",
    "ExposedPorts": {"8080/tcp": {}},
    "StopSignal": "SIGTERM",
    "Env": ["PATH=/opt/java/bin", "LANG=C.UTF-8", "LD_LIBRARY_PATH=/usr/local/nvidia/lib64:/usr/lib64"],
    "Entrypoint": ["/opt/java/bin/java", "-Dtensorfabric.native.library=/opt/tensor-service/native/libtensorfabric_verbs.so",
      "-jar", "/opt/tensor-service/tensor-service.jar"],
    "Healthcheck": {
      "Test": ["CMD", "/opt/java/bin/java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xms16m", "-Xmx64m",
        "-jar", "/opt/tensor-service/tensor-service.jar", "check", "health", "--timeout=5s"],
      "Interval": 10000000000,
      "Timeout": 5000000000,
      "StartPeriod": 60000000000,
      "Retries": 3
    }
  },
  "rootfs": {"type": "layers", "diff_ids": [$1]},
  "history": []
}
JSON
}
