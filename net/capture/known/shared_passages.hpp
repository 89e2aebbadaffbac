#pragma once
// Passages that a tool's result has and a retriever's span below the tool found: one passage is one source, that of
// the retriever, which names it best.

#include "net/capture/known/traces.hpp"
#include "schema/base/error.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace whence::net::capture {

/// Of one derivation, once all spans are added.
class SharedPassages {
 public:
  explicit SharedPassages(Traces& all) : all_(all) {}

  /// The ids of those passages of a tool whose text a retrieval within it has, too, under another id. The trace is one
  /// of those in hand. Fails as `RecordReader::read`.
  [[nodiscard]] Result<std::set<std::string>> found_below(SpanName const& tool);

  /// Removes those that known tools of a trace have, with their documents, where nothing else has them. To be asked
  /// when the records of all new spans are among those to be written. Fails as `found_below`.
  [[nodiscard]] Result<void> remove_from(std::string const& trace);

 private:
  using Texts = std::map<std::string, std::string>;  // by the id of the passage, folded

  /// By tool the retrievals within it: those with passages, not through the run of an agent.
  std::map<std::string, std::vector<std::string>> const& retrievals_in(std::string const& trace);
  [[nodiscard]] Result<Texts> texts_of(SpanName const& name) const;
  [[nodiscard]] Result<void> remove(SpanName const& tool, std::set<std::string> const& repeated);
  /// Whether a record that will be written is this chunk, or names this document.
  [[nodiscard]] bool is_written(schema::NodeRef const& ref);
  void erase(schema::NodeRef const& ref);

  Traces& all_;
  std::map<std::string, std::map<std::string, std::vector<std::string>>> retrievals_;  // by trace
  std::set<std::pair<schema::RecordType, std::string>> written_;                       // chunks, and their documents
  std::size_t noted_ = 0;                                                              // records that these are of
};

}  // namespace whence::net::capture
