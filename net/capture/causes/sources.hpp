#pragma once
// The retrievals and tool calls of a trace, and which of them a call of a model was made from.

#include "net/capture/trace/clocks.hpp"
#include "net/capture/trace/span_tree.hpp"
#include "net/plain_text/sought_texts.hpp"
#include "schema/base/digest.hpp"
#include "schema/types/basis.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace whence::net::capture {

inline constexpr std::size_t place_max = 64;  ///< sources of a call that only their place says
inline constexpr std::size_t same_max = 64;   ///< of sources with one text, or one id of a call
inline constexpr std::size_t telling_min =
    16;  ///< bytes of a text that joins in spite of clocks, or without a conversation
inline constexpr std::size_t asked_max = 1024;  ///< that are asked for their place, of each kind the latest

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

  /// Calls of tools, of which one side may have no ids: the prompt, or the answer that it has.
  struct Nameless {
    std::string hash;      ///< without ids
    bool has_ids = false;  ///< the message has some, so that the answer has none
  };
  std::map<std::string, Nameless> nameless = {};  ///< by the hash of the message

  void add(schema::SecretKey const& key, Message const& message);
  /// As a message that an earlier answer may be.
  void add_answer(schema::SecretKey const& key, Message const& message);
};

/// A call of a model, as its sources are asked for.
struct Asking {
  SpanFacts const& call;
  SpanTree const& tree;  ///< of its trace
  Clocks const& clocks;  ///< likewise
  std::size_t place;     ///< its own there
  Prompt const& prompt;
  Causes const& known;                 ///< so far, but for those that only their place says
  bool has_evidence;                   ///< something else is known by an id or a text
  std::set<std::string> const* moved;  ///< ids of the spans that alone are asked; null: all

  /// Whether the prompt was captured, by the call's span or by log records.
  [[nodiscard]] bool has_prompt() const noexcept { return call.has_prompt || !prompt.messages.empty(); }
};

/// What a call was made from.
struct Found {
  Causes causes = {};
  std::set<std::string> superseded = {};  ///< refs that were causes until nearer ones came
  bool is_cut = false;                    ///< there was more than the bounds allow
};

/// Whether what ended at `end` ended before `call` began, by its clock. OpenTelemetry's SDK for JavaScript
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
  /// `tree` is that of the trace, as are `clocks`.
  void settle(SpanTree const& tree, Clocks const& clocks);

  /// The refs of the sources whose whole text this is, folded, and which may have ended before `call`: those nearest to
  /// it, `same_max` before it and, where clocks differ, as many after it.
  [[nodiscard]] std::vector<std::string_view> sources_of(std::string const& folded, SpanFacts const& call) const;

  /// The refs of the tools that failed, and which may have ended before `call`, of which this folded text says why,
  /// and little more.
  [[nodiscard]] std::vector<std::string_view> failures_in(std::string const& folded, SpanFacts const& call) const;

  [[nodiscard]] bool has_tool(std::string const& call_id) const { return by_call_.contains(call_id); }
  /// The spans of the tools whose call has this id: `same_max` each of those that ended before `call` and later, those
  /// nearest to it.
  [[nodiscard]] std::vector<std::string_view> tools_of(std::string const& call_id, SpanFacts const& call) const;

  /// The refs of what a call was made from, and how each is known.
  ///
  /// By evidence: a result whose call's id is in the prompt, whatever the clocks say within `ahead_max`, of another
  /// agent's run only where a text of it is there, too, or none can be compared; of several with one id those that
  /// `meant_by` says; a text that is
  /// found there of a source that ended before, or of one of `telling_min` bytes or more that may have by another
  /// clock; but for a tool within one whose result is there, too: client and server of MCP report one result. Of those
  /// with one text, or with one id, those nearest to the call (`same_max`). Where nothing better can be known of a
  /// source, by place: one that ended before the call, beside it; or where its text or the prompt is not known, in the
  /// open within the nearest span around the call below which a source ended before it. By place the latest `place_max`
  /// among the last `asked_max`. Of sources with one text or one id a nearer one that comes later supersedes the
  /// others. O(the prompt, what is found, and sources until there are `place_max`).
  [[nodiscard]] Found found_by(Asking const& asking) const;

 private:
  struct Source {
    std::string_view span;
    SpanFacts const* facts;
    std::string own;
    std::vector<std::pair<std::string, std::size_t>> texts;  ///< ref, and the number of the text among those sought
    std::vector<std::string_view> around;                    ///< spans that hold it in the open, the nearest first
    bool is_rooted = false;                                  ///< the last of them, or it itself, is a root
    std::string_view enclosing = {};                         ///< of a tool: the tool that it is within; may be empty
    Source const* outer = nullptr;                           ///< that tool, once settled
    std::size_t place = SpanTree::none;                      ///< in the tree, once settled
    std::size_t last_around = SpanTree::none;                ///< likewise of the last of `around`
    bool is_sought = false;                                  ///< one of the texts is long enough to be sought in a text
  };

  /// What a prompt has: spans whose results are there by their ids, and numbers of texts, ascending.
  struct There {
    std::set<std::string_view> by_id = {};
    std::vector<std::size_t> texts = {};

    [[nodiscard]] bool has_text_of(Source const& source) const;
    /// Whether a tool around it gave what it gave.
    [[nodiscard]] bool is_told_by_outer(Source const& source) const;
  };
  /// A text of a source: the place of the source, and that of the text among its own.
  struct Told {
    std::size_t source;
    std::size_t text;
  };
  /// Of those with a text the nearest that may have ended before `call`.
  [[nodiscard]] std::span<Told const> told_near(std::size_t number, SpanFacts const& call,
                                                bool* is_cut = nullptr) const;
  /// The places of the tools of `tools_of`.
  [[nodiscard]] std::span<std::size_t const> tools_near(std::string const& call_id, SpanFacts const& call) const;
  void add_named(Asking const& asking, There& there, Found& into) const;
  /// Which of the tools with one id a prompt has: those whose text is there, else that ended before the call, where
  /// there are such; of those with one text the nearest.
  [[nodiscard]] std::vector<Source const*> meant_by(std::vector<Source const*> const& tools, Asking const& asking,
                                                    There const& there) const;
  /// Which of the sources that gave a text a prompt has it from: where one is a tool whose id is there, no other tool
  /// that has an id; of the others the nearest.
  [[nodiscard]] std::vector<Told> told_by(std::size_t number, Asking const& asking, There const& there,
                                          Found& into) const;
  [[nodiscard]] static bool is_asked(Source const& source, Asking const& asking);
  void hold(SpanTree const& tree);
  [[nodiscard]] static bool has_root(Asking const& asking);
  /// Whether the last of the spans that hold it in the open is around the call.
  [[nodiscard]] static bool is_held_around(Source const& source, Asking const& asking);
  [[nodiscard]] static bool is_open_to(Source const& source, Asking const& asking);
  /// Runs (a chain, an agent, a step, a plain span, or what is not known yet) around a call.
  [[nodiscard]] std::size_t runs_around(Asking const& asking) const;
  /// The number of the nearest run around the call that holds a source in the open, from 1 on.
  [[nodiscard]] std::size_t level_of(Source const& source, Asking const& asking) const;
  /// The least of the sources that ended before the call. O(spans around it that hold a source).
  [[nodiscard]] std::size_t nearest_level(Asking const& asking) const;
  [[nodiscard]] static bool is_placed(Source const& source, Asking const& asking, bool has_evidence);
  [[nodiscard]] std::vector<std::size_t> may_be_placed(Asking const& asking) const;
  void add_placed(Asking const& asking, std::set<std::string_view> const& found, There const& there, Found& into) const;

  /// What is below a span.
  struct Held {
    std::optional<Nanos> first_end = {};  ///< of the sources that it holds in the open, the one that ended first
    std::size_t next = SpanTree::none;    ///< the nearest span around it that holds one, too
    std::size_t runs = 0;                 ///< around it, and itself
  };

  TraceState const& state_;
  std::vector<Source> all_;          // the latest first, once settled
  std::vector<Held> held_;           // by place in the tree
  std::optional<Nanos> rooted_end_;  // when the first of the rooted ones ended
  bool has_clocks_ = false;          // several of them
  bool has_failures_ = false;        // of tools
  plain_text::SoughtTexts sought_;
  std::vector<std::size_t> bytes_;                                     // by number: of the folded text
  std::map<std::string_view, std::vector<std::size_t>> beside_;        // by parent: places of those without a call's id
  std::vector<std::size_t> unknown_;                                   // places of those without a call's id and a text
  std::vector<std::vector<Told>> by_text_;                             // by number: the latest first, once settled
  std::unordered_map<std::string, std::vector<std::size_t>> by_call_;  // places, the latest first
};

}  // namespace whence::net::capture
