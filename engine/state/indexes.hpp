#pragma once
// All that the writer looks up beside the graph: one more is a name in the list.

#include "engine/state/blob_index.hpp"
#include "engine/state/document_index.hpp"
#include "engine/state/id_hash_index.hpp"
#include "engine/state/index.hpp"
#include "engine/state/proposal_index.hpp"
#include "engine/state/request_index.hpp"
#include "engine/state/template_index.hpp"
#include "engine/state/topic_index.hpp"

#include <tuple>

namespace whence::engine {

/// Belongs to the writer thread.
class Indexes {
 public:
  template <class Of>
  [[nodiscard]] Of& of() noexcept {
    return std::get<Of>(all_);
  }
  /// Counts contents, not records: each that is appended or goes is reported by itself.
  [[nodiscard]] BlobIndex& blobs() noexcept { return blobs_; }

  void take(Index::Written const& written) {
    for_each([&](Index& each) { each.take(written); });
  }
  void drop_deleted(schema::VertexId vertex, graph::Snapshot const& known) {
    for_each([&](Index& each) { each.drop_deleted(vertex, known); });
  }
  void drop_gone(schema::VertexId vertex) {
    for_each([&](Index& each) { each.drop_gone(vertex); });
  }
  void clear() {
    for_each([](Index& each) { each.clear(); });
    blobs_.clear();
  }

 private:
  template <class Visit>
  void for_each(Visit const& visit) {
    std::apply([&](auto&... each) { (visit(each), ...); }, all_);
  }

  std::tuple<TopicIndex, IdHashIndex, RequestIndex, DocumentIndex, ProposalIndex, TemplateIndex> all_;
  BlobIndex blobs_;
};

}  // namespace whence::engine
