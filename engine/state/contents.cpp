// `Memory` has what the open group made and what was revised lately, over all batches; `Contents` adds what one batch
// fetched from the store. The store is read as of the last durable transaction, since what came after is in memory
// only.

#include "engine/state/contents.hpp"

#include "graph/snapshot/records.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace whence::engine {

using schema::VertexId;

namespace {

/// How many revised records are remembered between groups; one is about half a kilobyte.
constexpr std::size_t remembered_max = 50'000;

}  // namespace

void Memory::add_made(std::vector<schema::Record>&& records) {
  if (made_.empty()) {
    made_ = std::move(records);
  } else {
    made_.insert(made_.end(), std::make_move_iterator(records.begin()), std::make_move_iterator(records.end()));
  }
}

void Memory::add_revised(VertexId vertex, schema::Record record) {
  revised_.insert_or_assign(schema::number(vertex), std::move(record));
}

schema::Record const* Memory::find(VertexId vertex) const {
  auto const revised = revised_.find(schema::number(vertex));
  if (revised != revised_.end()) return &revised->second;
  if (vertex < first_made_) return nullptr;
  auto const position = schema::number(vertex) - schema::number(first_made_);
  return position < made_.size() ? &made_[position] : nullptr;
}

std::string const* Memory::find_blob(schema::Digest const& digest) const {
  auto const found = std::ranges::find(blobs_, digest, &store::Blob::digest);
  return found == blobs_.end() ? nullptr : &found->bytes;
}

void Memory::settle() {
  made_.clear();
  blobs_.clear();
  if (revised_.size() > remembered_max) revised_.clear();
}

void Memory::clear() {
  made_.clear();
  blobs_.clear();
  revised_.clear();
}

Result<void> Contents::fetch(std::vector<VertexId> wanted) {
  std::erase_if(wanted, [this](VertexId vertex) {
    return memory_.find(vertex) != nullptr || fetched_.contains(schema::number(vertex));
  });
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  if (wanted.empty()) return {};
  // A revision of the open group that adds edges only is in the graph, but neither in memory nor in the store yet.
  return graph::read_those_there(known_.as_of(memory_.durable()), store_, wanted,
                                 [&](std::size_t position, schema::Record&& record) {
                                   fetched_.insert_or_assign(schema::number(wanted[position]), std::move(record));
                                   return true;
                                 });
}

schema::Record const* Contents::find(VertexId vertex) const {
  if (known_.gone(vertex)) return nullptr;  // what was added since is not all that it said
  if (auto const* remembered = memory_.find(vertex)) return remembered;
  auto const found = fetched_.find(schema::number(vertex));
  return found == fetched_.end() ? nullptr : &found->second;
}

Result<schema::Record const*> Contents::fetch_one(VertexId vertex) {
  if (auto const fetched = fetch({vertex}); !fetched) return fetched.error();
  return find(vertex);
}

Result<std::optional<schema::Record>> Contents::last_written(VertexId vertex) const {
  std::uint32_t revision = 0;
  for (auto const& each : known_.revisions(vertex)) {
    if (each.kind != schema::RevisionKind::whole) continue;
    if (each.tx > memory_.durable()) return std::optional<schema::Record>{};
    revision = each.number;
  }
  return read_content({vertex, revision});
}

Result<std::optional<schema::Record>> Contents::first_written(VertexId vertex) const {
  return read_content({vertex, 0});
}

/// One stored content; nothing where it is not on disk yet.
Result<std::optional<schema::Record>> Contents::read_content(schema::ContentId content) const {
  std::optional<schema::Record> found;
  if (known_.created(content.vertex) > memory_.durable()) return found;
  auto const read = store_.read({&content, 1}, [&](std::size_t, schema::StoredContent&& content_there) {
    found = std::move(content_there);
    return false;
  });
  if (!read) return read.error();
  if (found) schema::complete(*found, known_.id(content.vertex), {});
  return found;
}

Result<std::optional<std::string>> Contents::blob(schema::Digest const& digest) const {
  if (auto const* bytes = memory_.find_blob(digest)) return std::optional{*bytes};
  auto stored = store_.read_blob(digest);
  if (!stored && stored.error().code == Errc::purged) return std::optional<std::string>{};
  return stored;
}

graph::ReadRecord Contents::reading() {
  return [this](schema::VertexId vertex) -> Result<std::optional<schema::Record>> {
    auto const record = fetch_one(vertex);
    if (!record) return record.error();
    return *record == nullptr ? std::nullopt : std::optional{**record};
  };
}

}  // namespace whence::engine
