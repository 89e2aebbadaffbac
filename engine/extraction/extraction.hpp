#pragma once
// The keywords, subjects and summary derived from an accepted llm-response, in the same transaction. The XML contract
// (schema/xml/README.md) states the rules.

#include "engine/plan/candidates.hpp"
#include "engine/plan/findings.hpp"
#include "engine/plan/plan.hpp"
#include "engine/state/contents.hpp"
#include "engine/state/topic_index.hpp"
#include "schema/xml/parts.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace whence::engine {

/// The extraction of one batch. Attachments are processed in the order of writing; each sees the records derived from
/// those before it.
class Extraction {
 public:
  /// A new llm-response.
  struct Source {
    schema::XmlMessageAttachment const& attachment;
    VertexId vertex;
    std::uint32_t index;  ///< of its record in the batch, for warnings
  };

  /// The topics that are known, and what they are made from.
  struct Topics {
    TopicIndex& index;
    Index::Source source;
  };

  /// `plan` holds the rows of the batch's own records and their revisions already. With `keeps_derived`, keywords,
  /// subjects and summaries that the batch gives stay as they are but for their edges, and no others are made or
  /// changed: every mention would count twice.
  Extraction(Candidates const& candidates, Contents& contents, Topics topics, Plan& plan, Findings& findings,
             bool keeps_derived);

  /// Derives records from `parts`. Warns where `isNew` disagrees with what is known and where a new name meets a known
  /// id. Fails where the store does.
  [[nodiscard]] Result<void> extract(Source const& source, schema::ResponseParts const& parts);

  /// Adds the derived records to the plan: a row for each new node, a revision for each that changed.
  void finish();

 private:
  /// A keyword, subject or summary as the batch leaves it.
  struct Draft {
    VertexId vertex;
    bool is_new = false;
    bool is_renewed = false;  ///< its content is gone: it begins anew
    schema::Record whole = schema::Keyword{};
    std::vector<store::RowEdge> edges = {};
    std::vector<VertexId> wholes = {};  ///< what its mentions make it part of, each once
    // Counts before this batch, so that a revision holds only what was added.
    std::size_t subjects_before = 0;
    std::size_t ranges_before = 0;
    std::vector<std::string> added_keywords = {};
  };

  [[nodiscard]] std::optional<VertexId> find(schema::RecordType type, std::string const& id) const;
  [[nodiscard]] Result<schema::Record const*> peek(VertexId vertex);
  /// The draft of a record; one whose content is gone begins as `fresh`.
  [[nodiscard]] Result<Draft*> open_or_renew(VertexId vertex, schema::Record fresh);
  [[nodiscard]] Draft& make(schema::Record record);
  [[nodiscard]] schema::Record const* planned(VertexId vertex) const;
  [[nodiscard]] Result<Draft*> mention_subject(Source const& source, schema::SubjectPart const& part,
                                               std::size_t position);
  [[nodiscard]] Result<std::optional<VertexId>> find_named(Source const& source, std::string const& name);
  [[nodiscard]] Result<Draft*> find_subject(Source const& source, schema::SubjectPart const& part,
                                            std::size_t position);
  [[nodiscard]] Result<void> count_mention(Source const& source, Draft& subject);
  [[nodiscard]] Result<Draft*> mention_keyword(Source const& source, schema::KeywordPart const& part,
                                               Draft const& subject);
  void add_summary(Source const& source, schema::ResponseParts const& parts, std::vector<Draft*> const& subjects,
                   std::vector<std::string> terms);
  [[nodiscard]] Result<bool> continues_run(Source const& source, Draft const& subject);
  void warn_of_is_new(Source const& source, std::size_t position, bool says_new, std::string message);
  void keep_given();
  [[nodiscard]] bool is_later(Source const& source, VertexId subject) const;
  void keep_summary(Source const& source, schema::ResponseParts const& parts);
  void plan_given(Draft&& draft, schema::Record given);
  void add_older_wholes(Draft& draft) const;
  [[nodiscard]] std::vector<VertexId> linked_already(VertexId vertex) const;
  void add_relations(Draft& draft) const;
  void plan_row(Draft&& draft);
  void plan_revision(Draft&& draft);

  Candidates const& candidates_;
  Contents& contents_;
  Topics topics_;
  Plan& plan_;
  Findings& findings_;
  std::map<VertexId, Draft> drafts_;                                     // by vertex, so that rows come in order
  std::map<std::pair<schema::RecordType, std::string>, VertexId> made_;  // nodes this extraction made
  std::map<std::pair<std::string, std::string>, VertexId> named_;        // subjects made here, or given to a copy
  std::map<std::string, std::set<VertexId>> mentioned_;  // by topic: the subjects of its last response of this batch
  std::map<std::string, std::int64_t> summaries_;        // latest version by topic
  std::uint32_t next_vertex_;
  bool keeps_derived_;
  std::map<VertexId, schema::Record> given_;                 // of a copy: keywords and subjects of the batch
  std::map<std::string, schema::Summary*> given_summaries_;  // of a copy: by the attachment they are derived from
  std::map<VertexId, std::uint32_t> made_by_;  // of a copy: the place in the batch of what makes a subject of it
};

}  // namespace whence::engine
