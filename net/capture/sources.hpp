#pragma once
// The retrievals and tool calls of a trace, and which of them a call of a model was made from.

#include "net/capture/trace_state.hpp"
#include "net/plain_text/sought_texts.hpp"
#include "schema/types/basis.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace whence::net::capture {

inline constexpr std::size_t place_max = 64;  ///< sources of a call that only their place says

/// Refs of causes, each with how it is known.
using Causes = std::map<std::string, schema::Basis>;

/// Adds a cause. Of what is known in two ways the better counts, which comes first among them.
void add_cause(Causes& causes, std::string const& ref, schema::Basis basis);

/// What is known of the prompt of a call.
struct Prompt {
  std::string text = {};                            ///< folded
  std::vector<std::string> messages = {};           ///< folded, each whole
  std::set<std::string> results = {};               ///< ids of calls whose results it has
  std::map<std::string, std::size_t> answers = {};  ///< hashes of its messages, and the telling bytes of each

  void add(Message const& message);
};

/// A call of a model, as its sources are asked for.
struct Asking {
  SpanFacts const& call;
  std::vector<std::string_view> above;  ///< its parents, the nearest first
  Prompt const& prompt;
  Causes const& known;                 ///< so far
  bool has_evidence;                   ///< something else is known by an id or a text
  std::set<std::string> const* moved;  ///< ids of the spans that alone are asked; null: all
};

/// A source's text as it is sent to a model: what it is the JSON of, where that is a text, or a result that holds one.
[[nodiscard]] std::string as_sent(std::string const& text);

/// Whether what ended at `end` ended before `call` began, as far as its clock tells. OpenTelemetry's SDK for JavaScript
/// cuts the start of a span to milliseconds and adds a finer duration to it: then the call began at some time in its
/// millisecond. What ended after the call itself was not before it.
[[nodiscard]] bool may_have_ended_before(Nanos end, SpanFacts const& call);

/// The sources of one trace. Add all, then `settle`, then ask. The trace's state outlives it and does not change.
class Sources {
 public:
  explicit Sources(TraceState const& state) : state_(state) {}

  /// A source with its texts, each with the ref of its record. `own` is the ref of what the span itself became.
  void add(std::string const& span, SpanFacts const& facts, std::string own,
           std::vector<std::pair<std::string, std::string>> const& texts);
  void settle();

  /// The ref of the source whose whole text this is, folded; empty: there is none.
  [[nodiscard]] std::string_view source_of(std::string const& folded) const;

  /// The spans of the tools whose call has this id.
  [[nodiscard]] std::vector<std::string_view> tools_of(std::string const& call_id) const;

  /// The refs of what a call was made from, and how each is known.
  ///
  /// By evidence: a result whose call's id is in the prompt, whatever the clocks say within `ahead_max`, of another
  /// agent's run only where a text of it is there, too, or none can be compared; a text that is
  /// found there of a source that ended before, but for a tool within one whose result is there, too: client and server
  /// of MCP report one result. Where nothing better can be known of a source, by place: one that ended
  /// before the call, beside it; or where its text or the prompt is not known, in the open within a span that holds
  /// both. By place the latest, together with those of `known` at most `place_max`. Each depends on the two spans and
  /// what is between them alone, so a cause never stops being one. O(the prompt, what is found, and sources until there
  /// are `place_max`).
  [[nodiscard]] Causes found_by(Asking const& asking) const;

 private:
  struct Source {
    std::string_view span;
    SpanFacts const* facts;
    std::string own;
    std::vector<std::pair<std::string, std::size_t>> texts;  ///< ref, number among those sought
    std::vector<std::string_view> around;                    ///< spans that hold it in the open, the nearest first
    bool is_rooted = false;                                  ///< the last of them, or it itself, is a root
    std::string_view enclosing = {};                         ///< of a tool: the tool that it is within; may be empty
    bool is_sought = false;                                  ///< one of the texts is long enough to be sought in a text
  };

  [[nodiscard]] bool has_root(Asking const& asking) const;
  [[nodiscard]] static bool is_open_to(Source const& source, std::set<std::string_view> const& above, bool is_rooted);
  [[nodiscard]] static bool is_placed(Source const& source, Asking const& asking,
                                      std::set<std::string_view> const& above, bool is_rooted, bool has_evidence);
  void add_placed(Asking const& asking, std::set<std::string_view> const& found, Causes& causes) const;

  TraceState const& state_;
  std::vector<Source> all_;  // the latest first, once settled
  plain_text::SoughtTexts sought_;
  std::size_t sought_count_ = 0;
  std::unordered_map<std::string, std::string> by_text_;  // folded: the first source with it
  std::multimap<std::string, std::size_t> by_call_;
  std::unordered_map<std::string, std::size_t> by_own_;
};

}  // namespace whence::net::capture
