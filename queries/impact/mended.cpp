// Versions by their chain, chunks by their place.

#include "queries/impact/mended.hpp"

#include "queries/history/chain.hpp"
#include "queries/history/chunk_places.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>

namespace whence::queries {
namespace {

using schema::RecordType;

class MendedSearch {
 public:
  MendedSearch(View const& view, Budget const& budget) : view_{view}, poll_{budget.interrupt} {}

  Result<void> look_at(VertexId start) {
    auto const type = view_.snapshot.type(start);
    if (poll_.must_stop()) return poll_.error();
    if (is_versioned(type)) take_versions(start);
    if (type == RecordType::document) {
      auto const* const newer = find_document(start);
      if (newer == nullptr) return error_;
      for (auto const& [old, now] : *newer) {
        take(old, now);
        made_.documents[start].push_back(old);
      }
    }
    if (type != RecordType::retrieved_chunk) return {};
    for (auto const cause : view_.snapshot.causes(start).vertices) {
      if (view_.snapshot.type(cause) != RecordType::document) continue;
      auto const* const newer = find_document(cause);
      if (newer == nullptr) return error_;
      if (auto const found = newer->find(start); found != newer->end()) take(start, found->second);
    }
    return {};
  }

  /// Without what only one of `starts` could stand in for: that has nothing newer, or it would not stand there.
  Mended made(std::span<VertexId const> starts) && {
    std::set<VertexId> const given(starts.begin(), starts.end());
    std::erase_if(made_.newer, [&](auto const& each) { return given.contains(each.second); });
    std::erase_if(made_.standing, [&](VertexId each) { return given.contains(each); });
    return std::move(made_);
  }

 private:
  void take(VertexId old, VertexId now) {
    made_.newer.emplace(old, now);
    made_.standing.insert(now);
  }

  void take_versions(VertexId start) {
    auto const chain = version_chain(view_.snapshot, start);
    auto own = std::ranges::find(chain, start, &Version::vertex);
    for (; own != chain.end() && own + 1 != chain.end(); ++own) take(own->vertex, chain.back().vertex);
  }

  /// By chunk, what is at its place; null where that fails, with `error_`.
  std::map<VertexId, VertexId> const* find_document(VertexId document) {
    if (auto const known = newer_in_.find(document); known != newer_in_.end()) return &known->second;
    auto chunks = chunks_of(view_.snapshot, document);
    if (chunks.size() > document_chunks_max) chunks.erase(chunks.begin(), chunks.end() - document_chunks_max);
    if (poll_.must_stop(chunks.size())) {
      error_ = poll_.error();
      return nullptr;
    }
    auto const placed = read_places(view_, chunks);
    if (!placed) {
      error_ = placed.error();
      return nullptr;
    }
    return &newer_in_.emplace(document, newer_at_place(*placed)).first->second;
  }

  View const& view_;
  schema::Poll poll_;
  Mended made_ = {};
  std::map<VertexId, std::map<VertexId, VertexId>> newer_in_ = {};
  Error error_ = {};
};

}  // namespace

Result<Mended> mended_of(View const& view, std::span<VertexId const> starts, Budget const& budget) {
  MendedSearch search(view, budget);
  for (auto const start : starts) {
    if (auto const looked = search.look_at(start); !looked) return looked.error();
  }
  return std::move(search).made(starts);
}

}  // namespace whence::queries
