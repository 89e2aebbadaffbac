#pragma once
// Writing a transaction of the past again: from the events that told it to a plan.

#include "engine/history.hpp"
#include "engine/impl/judge.hpp"
#include "engine/impl/plan.hpp"
#include "graph/delta.hpp"
#include "schema/record_reader.hpp"
#include "schema/stored/codec.hpp"
#include "store/store.hpp"

#include <map>
#include <vector>

namespace whence::engine {

/// What a transaction of the past did, with the decision that was logged with it.
struct PastPlan {
  Plan plan;
  std::vector<schema::VertexId> deprecated = {};
};

/// The plan of `past`, whose tx and time follow those of the bench. Fails with `invalid_record`, naming the line, where
/// an event names what is not there, draws an edge that may not be, or holds no record where one belongs.
[[nodiscard]] Result<PastPlan> plan_past(PastTransaction const& past, Bench const& bench);

/// Records of transactions that are appended and not durable yet, in front of those of the store.
class PastReader final : public schema::RecordReader {
 public:
  explicit PastReader(store::Store const& store) : store_(store) {}

  void add(schema::ContentId content, schema::RecordType type, schema::stored::Words words);
  void add(store::Blob const& blob);

  [[nodiscard]] Result<void> read(std::span<schema::ContentId const> contents,
                                  std::function<bool(std::size_t, schema::Record&&)> const& visit) const override;
  [[nodiscard]] Result<std::optional<std::string>> read_blob(schema::Digest const& digest) const override;

 private:
  struct Kept {
    schema::RecordType type;
    schema::stored::Words words;
  };
  store::Store const& store_;
  std::map<schema::ContentId, Kept> kept_ = {};
  std::map<schema::Digest, std::string> blobs_ = {};
};

/// Whether the transaction, as applied, closed no cycle of influence. Fails with `invalid_record`, rule "history".
[[nodiscard]] Result<void> check_cycles(PastTransaction const& past, graph::Delta const& delta,
                                        graph::Snapshot const& after);

}  // namespace whence::engine
