// Members in the order of RFC 8785: by their names.
#include "schema/records/attachment.hpp"

#include "schema/json/writer.hpp"

#include <string>

namespace whence::schema::json {

Digest hash_of(XmlMessageAttachment const& attachment) {
  std::string text;
  Writer out{text};
  out.begin_object();
  out.member("$type$", name_of(RecordType::xml_message_attachment));
  out.member("createdAt", attachment.created_at.value().value);
  out.member("format", name_of(attachment.format));
  out.member("messageId", std::string_view(attachment.message_id));
  out.member("size", attachment.size.value());
  out.member("topicId", std::string_view(attachment.topic_id));
  out.member("version", attachment.version.value());
  if (attachment.xml_blob) {
    out.member("xmlBlob", std::string_view(*attachment.xml_blob));
  } else {
    out.member("xmlContent", std::string_view(attachment.xml_content.value()));
  }
  out.end_object();
  return sha256(text);
}

}  // namespace whence::schema::json
