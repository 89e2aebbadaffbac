#pragma once
// The identity of an attachment: a digest that any client can compute.

#include "schema/base/digest.hpp"
#include "schema/records/records.hpp"

namespace whence::schema::json {

/// SHA-256 over the RFC 8785 JSON of `$type$`, `createdAt`, `format`, `messageId`, `size`, `topicId`, `version` and
/// `xmlContent` or `xmlBlob`. All of these must be set; other members are no part of it.
[[nodiscard]] Digest hash_of(XmlMessageAttachment const& attachment);

}  // namespace whence::schema::json
