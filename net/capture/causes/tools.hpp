#pragma once
// The records of tools: one result is one source.

#include "net/capture/causes/sources.hpp"
#include "net/capture/known/shared_passages.hpp"
#include "net/capture/known/traces.hpp"
#include "net/capture/messages/message.hpp"
#include "schema/base/error.hpp"
#include "schema/checks/embedding_models.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace whence::net::capture {

/// Of one derivation, once all spans are added.
class Tools {
 public:
  Tools(Traces& all, schema::EmbeddingModels const& models) : all_(all), models_(models) {}

  /// The spans of tools within one that gave the same, each with that one: client and server of MCP report a result
  /// once more. The trace is one of those in hand.
  std::map<std::string, std::string> const& told_again(std::string const& trace);
  /// The span that says the result of a tool: of one that does not say it the other end of MCP's call within it, else
  /// itself.
  [[nodiscard]] SpanName teller_of(SpanName const& tool);
  /// The spans of one call whose records may have its result: `teller_of`, those within it, the tool itself.
  [[nodiscard]] std::vector<SpanName> ends_of(SpanName const& tool);
  /// The tool whose record represents a span: of one that repeats another the outermost that said it, else itself.
  [[nodiscard]] SpanName told_by(SpanName name);

  /// The records of new tools. One result is one source: of a tool that repeats what the one around it gave none is
  /// made, and those that it had go. Fails as `Traces::state_of`.
  [[nodiscard]] Result<void> make_tools();

  /// As `SharedPassages::found_below`.
  [[nodiscard]] Result<std::set<std::string>> found_below(SpanName const& tool) { return shared_.found_below(tool); }

  /// A tool's span that does not say its result has it in the next prompt, of `input`. `sources` are those of the
  /// call's trace. Fails as `RecordReader::read`.
  [[nodiscard]] Result<void> fill_results(SpanName const& name, SpanFacts const& call,
                                          std::vector<Message> const& input, Sources const& sources);

 private:
  /// What one end of MCP's call says and the other does not is known of both: the outer one has the id of the call, and
  /// the result. Of several that gave another result than it, or than the one that ended last, each is a tool of its
  /// own.
  void join_ends(std::string const& trace, std::map<std::string, std::string>& told);
  /// The results and ids that tools of a trace have of the other ends of their calls.
  Result<void> fill_ends(std::string const& trace);
  /// The unit that the graph has of a tool; nothing where it has none, or its content is gone.
  [[nodiscard]] Result<std::optional<schema::ContextUnit>> read_unit(SpanName const& tool) const;
  [[nodiscard]] Result<std::string> text_of(SpanName const& tool) const;
  /// Whether there was a record of it. The passages of one that says the result for another stay.
  Result<bool> remove_tool(SpanName const& name);
  /// Spans that link one of `spans`, or what is told again by one of them, lead elsewhere now.
  Result<void> touch_linkers_of(std::string const& trace, std::vector<std::string> spans);
  Result<void> fill_result(SpanName const& tool, std::string const& text, std::string const& call_id = {});

  Traces& all_;
  schema::EmbeddingModels const& models_;
  SharedPassages shared_{all_};
  std::map<SpanName, std::size_t> tool_records_;                          // places of the records of new tools
  std::map<std::string, std::map<std::string, std::string>> told_again_;  // by trace
  std::map<std::string, std::map<std::string, std::string>> outermost_;   // by trace, of those told again
  std::map<SpanName, std::vector<SpanName>> ends_;                        // beside their tellers
  std::map<SpanName, SpanName> tellers_;                                  // of tools that do not say their results
  std::map<SpanName, std::string> ids_;  // of tools that do not say the ids of their calls
  std::set<SpanName> filled_;            // known tools whose result a prompt gave
};

}  // namespace whence::net::capture
