#pragma once
// attachment.get and attachment.list: the XML texts of messages, by hash, message, topic and format.

#include "queries/conversation/params.hpp"
#include "queries/view/gone.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/records/records.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace whence::queries {

struct Attachment {
  schema::XmlMessageAttachment record;
  std::string xml;  ///< the whole text, also where the record only names it
};

/// Attachments of one format.
struct FormatSizes {
  std::uint64_t count = 0;
  std::int64_t bytes = 0;
};

/// What the texts of attachments are made of.
struct AttachmentSizes {
  std::array<FormatSizes, 2> by_format = {};  ///< by `XmlFormat`
  std::int64_t markup_bytes = 0;              ///< all but texts and attribute values
};

struct AttachmentList {
  std::vector<VertexId> attachments = {};     ///< in order of creation, then of writing
  std::int64_t total_size = 0;                ///< bytes of their texts
  std::optional<AttachmentSizes> sizes = {};  ///< where only counts are asked for
  std::vector<GoneNode> gone = {};            ///< those whose content is gone, the first `gone_max` in order of writing
};

/// Fails with `not_found` at "/hash", with `purged` where the text was deleted, or with `corrupt`.
[[nodiscard]] Result<Attachment> attachment_get(View const& view, AttachmentGetParams const& params,
                                                Budget const& budget);

/// The attachments for which all filters hold. Message and topic are found along edges; every attachment that these
/// leave is read, and where only counts are asked for, its text. What is gone is named apart, unless a format is asked
/// for: that is not known of it. Fails with `not_found` at "/messageId" or "/topicId",
/// with `corrupt`, or as the interrupt says.
[[nodiscard]] Result<AttachmentList> attachment_list(View const& view, AttachmentListParams const& params,
                                                     Budget const& budget);

}  // namespace whence::queries
