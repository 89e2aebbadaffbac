// Leaves are events with a member more.

#include "queries/proof/event_leaves.hpp"

#include "queries/render/event_texts.hpp"
#include "queries/render/forms.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>

namespace whence::queries {
namespace {

/// Adds the leaves of one transaction one after the other.
class LeafWriter {
 public:
  LeafWriter(Events const& events, LeafSource const& source, WantedLines const& wanted)
      : events_(events), contents_(source.contents), entry_(source.entry), wanted_(wanted) {
    leaves_.purges = purges_of_erasure();
    for (std::size_t i = contents_.size(); i > 0; --i) {
      auto& first = first_[number(contents_[i - 1].vertex)];
      next_.push_back(first);
      first = i;
    }
  }

  [[nodiscard]] Result<EventLeaves> write() {
    auto const count = static_cast<std::uint32_t>(events_.delta().events.size());
    std::vector<std::uint32_t> wanted;
    for (std::uint32_t event = 0; event < count; ++event) {
      if (is_wanted(events_.event(event).vertex)) wanted.push_back(event);
    }
    EventParts const parts{.has_record = false, .has_edges = true, .is_lasting = true};
    std::uint32_t next = 0;
    // The line of the event `wanted_event` has been written: those before it have none.
    auto const end_up_to = [&](std::uint32_t wanted_event) {
      auto const begin = leaves_.leaves.empty() ? 0 : leaves_.leaves.back().end;
      for (; next < wanted_event; ++next) end_without_line(events_.event(next), begin);
    };
    auto const written = append_unlinked(events_, wanted, parts, leaves_.text, [&](std::uint32_t event) {
      end_up_to(event);
      end_line(events_.event(event));
      ++next;
      return true;
    });
    if (!written) return written.error();
    end_up_to(count);
    for (std::size_t i = 0; i < contents_.size(); ++i) add_content(i);
    return std::move(leaves_);
  }

 private:
  /// How many events purge, where one puts a record; else 0.
  [[nodiscard]] std::uint64_t purges_of_erasure() const {
    std::uint64_t purges = 0;
    bool has_put = false;
    for (auto const& event : events_.delta().events) {
      if (is_purge(event)) ++purges;
      has_put = has_put || event.op == graph::EventOp::put;
    }
    return has_put ? purges : 0;
  }

  static bool is_purge(graph::DeltaEvent const& event) { return event.op == graph::EventOp::expire && event.is_purged; }

  [[nodiscard]] bool is_wanted(VertexId vertex) const { return !wanted_ || wanted_(vertex); }

  void end_without_line(graph::DeltaEvent const& event, std::size_t at) {
    leaves_.leaves.push_back({at, event.vertex, content_of(event)});
  }

  void end_line(graph::DeltaEvent const& event) {
    auto const content = content_of(event);
    if (content) {
      leaves_.text.pop_back();
      commit_to(*content);
    }
    if (leaves_.purges > 0 && event.op == graph::EventOp::put) add(R"("purges":)" + std::to_string(leaves_.purges));
    if (!content) add(R"("nonce":")" + schema::to_hex(entry_) + '"');
    leaves_.leaves.push_back({leaves_.text.size(), event.vertex, content});
  }

  /// A member at the end of the last line.
  void add(std::string_view member) {
    leaves_.text.pop_back();
    leaves_.text.append(",").append(member).append("}");
  }

  /// What the event wrote.
  std::optional<std::size_t> content_of(graph::DeltaEvent const& event) {
    bool const has_content = event.op == graph::EventOp::put || event.op == graph::EventOp::version;
    return has_content ? take(event.vertex) : std::nullopt;
  }

  /// The first content of `vertex`, once.
  std::optional<std::size_t> take(VertexId vertex) {
    auto const found = first_.find(number(vertex));
    if (found == first_.end() || found->second == 0) return std::nullopt;
    auto const place = found->second - 1;
    found->second = next_[contents_.size() - 1 - place];
    return place;
  }

  void add_content(std::size_t place) {
    auto const vertex = contents_[place].vertex;
    auto& first = first_[number(vertex)];
    if (first != place + 1) return;  // an event has it
    first = next_[contents_.size() - 1 - place];
    if (is_wanted(vertex)) write_content(place);
    leaves_.leaves.push_back({leaves_.text.size(), vertex, place});
  }

  void write_content(std::size_t place) {
    auto const& snapshot = events_.view().snapshot;
    Writer out(leaves_.text);
    out.begin_object().member("tx", number(events_.delta().tx));
    out.member("at", schema::format_rfc3339(snapshot.committed_at(events_.delta().tx)))
        .member("op", "content")
        .key("ref");
    write_ref(out, snapshot, contents_[place].vertex);
    commit_to(place);
  }

  void commit_to(std::size_t place) {
    leaves_.text.append(R"(,"commitment":")").append(schema::to_hex(contents_[place].digest)).append("\"}");
  }

  Events const& events_;
  std::span<Commitment const> contents_;
  schema::Digest const entry_;
  WantedLines const& wanted_;
  std::unordered_map<std::uint32_t, std::size_t> first_ =
      {};                               ///< by vertex: place + 1 of its first content; 0: none left
  std::vector<std::size_t> next_ = {};  ///< from the last content on: place + 1 of the next of the same vertex; 0: none
  EventLeaves leaves_ = {};
};

}  // namespace

Result<EventLeaves> leaves_of(Events const& events, LeafSource const& source, WantedLines const& wanted) {
  return LeafWriter(events, source, wanted).write();
}

}  // namespace whence::queries
