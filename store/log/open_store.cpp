// The state of an open store from group to group.

#include "store/log/open_store.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace whence::store {

bool Group::add_blob(Blob blob, BlobState on_disk) {
  bool const has_key = gone_blobs.contains(blob.digest);
  if (on_disk == BlobState::kept && !has_key) return false;
  if (!blob_digests.insert(blob.digest).second) return false;
  blobs.push_back(std::move(blob));
  return on_disk == BlobState::missing && !has_key;
}

void Group::remove_blobs(std::span<schema::Digest const> digests) {
  std::set<schema::Digest> taken_back;
  for (auto const& digest : digests) {
    if (blob_digests.erase(digest) > 0) taken_back.insert(digest);
    gone_blobs.insert(digest);
    removed_blobs.push_back(digest);  // again, too: nodes are given what came since the last group that was shared
  }
  if (taken_back.empty()) return;
  auto const is_taken_back = [&](Blob const& blob) { return taken_back.contains(blob.digest); };
  auto const shared_end = blobs.begin() + static_cast<std::ptrdiff_t>(shared.blobs);
  shared.blobs -= static_cast<std::size_t>(std::count_if(blobs.begin(), shared_end, is_taken_back));
  std::erase_if(blobs, is_taken_back);
}

void Group::clear() {
  transactions.clear();
  blocks.clear();
  values.clear();
  contents.clear();
  revised.clear();
  gone.clear();
  removed_blobs.clear();
  blobs.clear();
  blob_digests.clear();
  gone_blobs.clear();
  answers.clear();
  answers_by_key.clear();
  shared = {};
}

OpenStore::OpenStore(std::optional<DirectoryLock> held, Environment opened, Head const& head,
                     schema::SecretKey const& key)
    : lock{std::move(held)},
      environment{std::move(opened)},
      unpacker{environment},
      epoch{to_text(head.epoch)},
      id_key{key},
      committed{head},
      staged{head} {
  if (lock) packer.emplace(environment, unpacker);
  accept_group();
}

void OpenStore::accept_group() {
  group.clear();
  if (packer) packer->accept();
  committed = staged;
  visible_tx = schema::number(committed.tx);
  visible_purge = schema::number(committed.purged_in);
  visible_records = committed.vertices + committed.revisions;
}

void OpenStore::drop_group() {
  group.clear();
  if (packer) packer->drop();
  staged = committed;
}

}  // namespace whence::store
