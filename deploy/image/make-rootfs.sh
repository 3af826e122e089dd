#!/bin/sh
# make-rootfs.sh TARGET APP: makes the root directory of an image without a shell, and its data directory in TARGET-data.
# It contains Node.js with its libraries, the certificates of public authorities and the command in APP, and nothing else.
set -eu
umask 022
target=$1
app=$2
node=$(command -v node)

copy() {
  mkdir -p "$target$(dirname "$1")"
  cp -L "$1" "$target$1"
}

mkdir -p "$target/usr/bin" "$target/opt" "$target/etc/ssl/certs" "$target/tmp" "$target/var/lib" "$target-data/countersign"
cp -L "$node" "$target/usr/bin/node"
# Libraries of Node.js, and those of addons.
{
  ldd "$node"
  find "$app" -name '*.node' -exec ldd {} ';' 2>/dev/null
} | awk '/=> \//{print $3} /^[[:space:]]*\/lib/{print $1}' | sort -u | while read -r library; do copy "$library"; done
cp -L /etc/ssl/certs/ca-certificates.crt "$target/etc/ssl/certs/ca-certificates.crt"
cp -R "$app" "$target/opt/countersign"
echo 'countersign:x:65532:65532::/var/lib/countersign:/nonexistent' > "$target/etc/passwd"
echo 'countersign:x:65532:' > "$target/etc/group"
echo 'hosts: files dns' > "$target/etc/nsswitch.conf"
for library in libnss_files.so.2 libnss_dns.so.2 libresolv.so.2; do
  for found in /lib/*-linux-gnu/$library; do [ -e "$found" ] && copy "$found"; done
done
chown -R 0:0 "$target"
chmod -R u=rwX,go=rX "$target"
# Apart, because COPY gives everything to one owner.
chmod 0700 "$target-data/countersign"
chmod 1777 "$target/tmp"
