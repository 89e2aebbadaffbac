#pragma once
// The retrieval records of one request among each other: ranks of retrievals, chunks of prompts, citations of answers.
// They are completed before they are compared with known records, since a client may leave parts of them out. The
// rules: schema/records/README.md.

#include "engine/plan/candidates.hpp"
#include "engine/plan/findings.hpp"
#include "engine/plan/needed_record.hpp"
#include "engine/plan/plan.hpp"
#include "engine/state/contents.hpp"
#include "engine/values/batch.hpp"
#include "schema/records/retrieval/citation.hpp"

#include <optional>
#include <string>
#include <vector>

namespace whence::engine {

/// How the answers of a batch are taken.
struct AnswerRules {
  double confidence_min = 0;  ///< below it a text is withheld
  schema::Mode mode = schema::Mode::strict;
};

/// Checks and completes every record of `batch` that belongs to a request:
/// - a retrieval without a rank gets the next of its request, or the one it has already;
/// - a prompt keeps only the ids of its chunks, each of which was retrieved ("not_retrieved") and is as given
///   (`conflict`);
/// - the Citation records of a request join the list of its Answer, which must be in the batch ("unknown_reference");
/// - an answer's citations are read from its text where it has no list ("citation_missing"); each of the list and each
///   bracket of the text must mean a retrieved chunk ("unsupported_citation"), which the list then names. Its request
///   must be known ("unknown_reference").
/// - a citation's excerpt is in the text of its chunk ("excerpt"), its page and section are the chunk's ("page_number",
///   "section").
/// The confidence of an answer is the mean similarity of its retrievals; another one given is a warning ("confidence").
/// Where it is too low, the answer is withheld, with a warning ("withheld"). Capture mode keeps such a text, and
/// citations that do not hold or are missing, and flags them; one that matches nothing keeps the `chunk_id` it names,
/// and gets an edge where that chunk is known, not one to its document: nothing was read from it. Returns the prompts
/// that answers need and that were not recorded. Fails where the store does.
[[nodiscard]] Result<std::vector<NeededRecord>> settle_requests(WriteBatch& batch, AnswerRules const& rules,
                                                                graph::Snapshot const& known, Contents& contents,
                                                                Findings& findings);

/// The retrievals of a known request, by rank, then by chunk. Deleted chunks are left out. Fails where the store
/// does.
[[nodiscard]] Result<std::vector<schema::Retrieval>> known_retrievals(schema::VertexId query,
                                                                      graph::Snapshot const& known, Contents& contents);

/// Retrievals of the batch for requests that have an answer correct its confidence, a whole revision; where it is too
/// low now, an answer with a text gets the flag `low_confidence` and keeps the text, which was given already; else it
/// loses the flag. Fails where the store does.
[[nodiscard]] Result<void> correct_confidences(Candidates const& candidates, AnswerRules const& rules,
                                               Contents& contents, Plan& plan);

struct ComposedAnswer {
  schema::Answer answer = {};
  std::optional<Withheld> withheld = {};
};

/// What a warning says of a text that is withheld.
[[nodiscard]] std::string why_withheld(Withheld const& withheld, AnswerRules const& rules);

/// The Answer record of a text: with its confidence, and where that is too low withheld, or in capture mode flagged.
/// Where the request has an answer with the same text already, that one. Fails with `not_found` where the request is
/// not known.
[[nodiscard]] Result<ComposedAnswer> compose_answer(AnswerText const& text, AnswerRules const& rules,
                                                    graph::Snapshot const& known, Contents& contents);

}  // namespace whence::engine
