// The state of an open store from group to group.

#include "store/log/open_store.hpp"

#include <utility>

namespace whence::store {

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
  answers.clear();
  answers_by_key.clear();
  shared = {};
}

OpenStore::OpenStore(std::optional<DirectoryLock> held, Environment opened, Head const& head)
    : lock{std::move(held)},
      environment{std::move(opened)},
      unpacker{environment},
      epoch{to_text(head.epoch)},
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
  visible_records = committed.vertices + committed.revisions;
}

void OpenStore::drop_group() {
  group.clear();
  if (packer) packer->drop();
  staged = committed;
}

}  // namespace whence::store
