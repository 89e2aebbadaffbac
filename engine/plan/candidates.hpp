#pragma once
// All records of a batch: those given, and those they imply (the units of a manifest, the topic of a message, the
// message of an attachment, the document of a chunk, the prompt of an answer, the person and the session of a
// response), each with the vertex it has or would get.

#include "engine/plan/first_named.hpp"
#include "engine/plan/needed_record.hpp"
#include "engine/values/batch.hpp"
#include "engine/values/id_source.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/ids.hpp"
#include "schema/records/records.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::engine {

using schema::VertexId;

/// Where a candidate comes from.
enum class Origin : std::uint8_t {
  given,     ///< a record of the batch
  manifest,  ///< the response of a manifest of the batch
  citation,  ///< the answer that a citation of the batch belongs to
  derived,   ///< made because another record needs it
};

/// One record that the batch would have exist.
struct Candidate {
  schema::Record* record =
      nullptr;               ///< complete, with an id made where none was given; null where the text was no record
  std::string_view id = {};  ///< of the record's node; empty where its parts are unusable
  std::uint32_t index = 0;   ///< of the batch's record it comes from
  Origin origin = Origin::given;
  /// Its id and references are used; its content is not compared, since a default in place of an invalid value would
  /// make false conflicts.
  bool has_field_errors = false;
  bool is_new = false;  ///< gets `vertex` if the batch is accepted; else `vertex` exists or is of an earlier candidate
  VertexId vertex{};    ///< of the record known under this id: in the graph, or first in the batch
  schema::RecordType type{};  ///< of the record; as `hash`, set where there is a record
  std::uint64_t hash = 0;     ///< of its type and id, as the graph hashes them
};

/// All candidates of one batch. Lives while the batch lives and does not move.
///
/// Invariants: 1. candidates 0..n-1 are the batch's n records in order. 2. new candidates are numbered from the graph's
/// vertex count in record order, the records that one needs before it. 3. (type, id) leads to one vertex only.
class Candidates {
 public:
  /// What candidates are made from besides the batch.
  struct Setting {
    graph::Snapshot const& known;
    IdSource& ids;
    schema::Time now;
    schema::SecretKey id_key;
    bool stands_in = false;  ///< capture mode: what a response names and is not known gets a record that says so
  };
  /// An id that no request has: `req_20260121_abc123`.
  [[nodiscard]] static std::string fresh_request_id(Setting const& setting);

  /// `batch` has been checked and holds the violations of each record. `needed` is in the order of the records that
  /// need them.
  Candidates(WriteBatch& batch, std::vector<NeededRecord> needed, Setting const& setting);
  Candidates(Candidates const&) = delete;
  Candidates& operator=(Candidates const&) = delete;

  [[nodiscard]] std::span<Candidate const> all() const noexcept { return all_; }
  [[nodiscard]] std::size_t new_count() const noexcept { return new_.size(); }

  /// The vertex known or proposed as (type, id).
  [[nodiscard]] std::optional<VertexId> find(schema::RecordType type, std::string_view id) const;
  /// The same of what a record names: not a purged text that the batch does not give, where its sender may not know of
  /// it.
  [[nodiscard]] std::optional<VertexId> find_named(schema::RecordType type, std::string_view id) const;

  /// The candidate that would become `vertex`; null where that exists already.
  [[nodiscard]] Candidate const* proposed(VertexId vertex) const;
  [[nodiscard]] Candidate const& nth_new(std::size_t position) const { return all_[new_[position]]; }

  /// How many new candidates belong to the batch's records up to and including `index`, as a revision row stores it:
  /// `store::all_rows` where that is all of them. O(log new).
  [[nodiscard]] std::uint32_t rows_up_to(std::uint32_t index) const;

  [[nodiscard]] graph::Snapshot const& known() const noexcept { return known_; }

  /// The nodes that the batch renews, ascending: they are found no more.
  [[nodiscard]] std::span<VertexId const> renewed() const noexcept { return renewed_; }
  /// Whether a record names one of them. O(its references) where there are any.
  [[nodiscard]] bool names_renewed(schema::Record const& record) const;

 private:
  void take_given(WriteBatch& batch, Setting const& setting);
  void point_to_answer(WriteBatch const& batch, schema::Citation const& citation, Candidate& candidate);
  void derive_for(schema::IncomingRecord const& given, bool is_ensured, std::uint32_t index);
  void derive_belongings(std::uint32_t index, bool grows);
  void announce(std::uint32_t candidate);
  void settle(std::uint32_t candidate);
  void derive(schema::Record record, std::uint32_t index, bool adds_to_known = false);
  void derive_units(schema::LineageManifest const& manifest, std::uint32_t index);
  void stand_in(schema::Response& response, std::vector<NeededRecord> const& needed, std::uint32_t index);
  [[nodiscard]] std::optional<schema::NodeRef> stand_in_for(schema::NodeRef const& ref, schema::Time timestamp,
                                                            std::uint32_t index);
  void derive_topic(std::string const& topic_id, std::uint32_t index);
  void derive_message(schema::XmlMessageAttachment const& attachment, std::uint32_t index);
  void name(Candidate& candidate) { name(candidate, schema::node_id_of(*candidate.record)); }
  void name(Candidate& candidate, std::string id);
  /// The vertex known as (type, id), unless it is renewed.
  [[nodiscard]] std::optional<VertexId> find_known(schema::RecordType type, std::string_view id,
                                                   std::uint64_t hash) const;
  /// Whether it is a purged text that the sender of the batch may not know of.
  [[nodiscard]] bool is_hidden(VertexId vertex) const;
  [[nodiscard]] bool is_there(schema::RecordType type, std::string_view id) const;
  [[nodiscard]] std::optional<std::uint32_t> find_first(schema::RecordType type, std::string_view id,
                                                        std::uint64_t hash) const;

  graph::Snapshot const& known_;
  bool const hides_purged_texts_;
  schema::SecretKey const id_key_;
  std::vector<VertexId> renewed_;
  std::vector<Candidate> all_;
  std::vector<std::uint32_t> new_;   // candidate numbers in vertex order
  std::deque<schema::Record> made_;  // records that were not given; a deque, so that their addresses are stable
  std::deque<std::string> names_;    // what the candidates' ids view
  FirstNamed first_;                 // candidate that first has the id in the batch
};

}  // namespace whence::engine
