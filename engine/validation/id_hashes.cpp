// A reference that is a hash is looked up among the records of the batch, then in the index of those that are known.
// Where it is found the id takes its place. An unknown subject of a keyword is a violation, an unknown `sourceXmlHash`
// stays as it is.

#include "engine/validation/id_hashes.hpp"

#include "schema/base/digest.hpp"
#include "schema/base/report.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace whence::engine {
namespace {

using schema::RecordType;

class HashResolver {
 public:
  HashResolver(WriteBatch& batch, ValidationContext const& context, Findings& findings)
      : batch_(batch), context_(context), findings_(findings) {}

  Result<void> run() {
    for (auto const& given : batch_.records) {
      if (given.is_usable) note(given.record);
    }
    for (std::uint32_t i = 0; i < batch_.records.size(); ++i) {
      auto& given = batch_.records[i];
      if (!given.is_usable) continue;
      if (auto const resolved = resolve(given.record, i); !resolved) return resolved;
    }
    return {};
  }

 private:
  void note(schema::Record const& record) {
    if (auto const* subject = std::get_if<schema::Subject>(&record); subject != nullptr && subject->id_hash) {
      subjects_.insert_or_assign(*subject->id_hash, schema::node_id_of(record));
    }
    auto const* attachment = std::get_if<schema::XmlMessageAttachment>(&record);
    if (attachment == nullptr || attachment->hash.empty()) return;
    hashes_.insert(attachment->hash);
    if (attachment->id_hash) attachments_.insert_or_assign(*attachment->id_hash, attachment->hash);
  }

  Result<void> resolve(schema::Record& record, std::uint32_t index) {
    if (auto* keyword = std::get_if<schema::Keyword>(&record)) {
      if (auto const resolved = resolve_subjects(*keyword, index); !resolved) return resolved;
    }
    return std::visit(
        [&](auto& each) -> Result<void> {
          if constexpr (requires { each.source_xml_hash; }) return resolve_source(each.source_xml_hash);
          return {};
        },
        record);
  }

  Result<void> resolve_source(std::optional<std::string>& hash) {
    if (!hash || !schema::digest_from_hex(*hash)) return {};
    bool const is_its_own =
        hashes_.contains(*hash) || context_.known.find(RecordType::xml_message_attachment, *hash).has_value();
    if (is_its_own) return {};
    auto const id = find(RecordType::xml_message_attachment, attachments_, *hash);
    if (!id) return id.error();
    if (*id) hash = std::move(**id);
    return {};
  }

  Result<void> resolve_subjects(schema::Keyword& keyword, std::uint32_t index) {
    auto& subjects = keyword.subjects;
    bool has_hashes = false;
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      if (!schema::digest_from_hex(subjects[i])) continue;
      has_hashes = true;
      auto const id = find(RecordType::subject, subjects_, subjects[i]);
      if (!id) return id.error();
      if (*id) {
        subjects[i] = schema::format_ref(RecordType::subject, **id);
      } else {
        findings_.add(index, {Errc::invalid_record, "unknown_reference", "/subjects/" + std::to_string(i),
                              schema::shown(subjects[i]), "no subject is known by this id hash"});
      }
    }
    if (has_hashes) keep_first(subjects);
    return {};
  }

  /// A subject may have been named by its ref and by its id hash.
  static void keep_first(std::vector<std::string>& subjects) {
    std::unordered_set<std::string> seen;
    std::erase_if(subjects, [&](std::string const& ref) { return !seen.insert(ref).second; });
  }

  /// The id of the node that has the id hash.
  Result<std::optional<std::string>> find(RecordType type, std::unordered_map<std::string, std::string> const& here,
                                          std::string const& hash) {
    if (auto const found = here.find(hash); found != here.end()) return std::optional{found->second};
    auto const vertex = context_.indexes.of<IdHashIndex>().find(type, hash, context_.source());
    if (!vertex) return vertex.error();
    if (!*vertex) return std::optional<std::string>{};
    return std::optional{std::string(context_.known.id(**vertex))};
  }

  WriteBatch& batch_;
  ValidationContext const& context_;
  Findings& findings_;
  std::unordered_map<std::string, std::string> subjects_;     // ids of the batch's subjects by id hash
  std::unordered_map<std::string, std::string> attachments_;  // hashes of its attachments by id hash
  std::unordered_set<std::string> hashes_;                    // of its attachments
};

}  // namespace

Result<void> resolve_id_hashes(WriteBatch& batch, ValidationContext const& context, Findings& findings) {
  return HashResolver(batch, context, findings).run();
}

}  // namespace whence::engine
