#pragma once
// rag.get: everything recorded for a request. Optional members are left out, but for `answer` and `message` of an
// answer, which may be null.

#include "graph/snapshot/records.hpp"
#include "queries/retrieval/params.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/records/records.hpp"
#include "schema/records/retrieval/citation.hpp"

#include <optional>
#include <string>
#include <vector>

namespace whence::queries {

/// A prompt with its chunks as they were when it was made, deleted ones too.
struct RecordedPrompt {
  graph::Said record;
  std::vector<schema::Retrieval> chunks = {};
};

struct RagRequest {
  std::string request_id;
  graph::Said query;
  std::optional<graph::Said> embedding = {};
  std::vector<schema::Retrieval> retrieved = {};  ///< those that are there, by rank, then chunk id
  std::optional<RecordedPrompt> prompt = {};
  std::optional<graph::Said> answer = {};
};

/// Fails with `not_found` at "/request_id", or with `corrupt`.
[[nodiscard]] Result<RagRequest> rag_get(View const& view, RagGetParams const& params, Budget const& budget);

}  // namespace whence::queries
