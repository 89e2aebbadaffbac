// GET /blob: the bytes of long XML texts, to whoever may read.

#include "schema/base/digest.hpp"
#include "tests/net/server/server_fixture.hpp"

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

/// A server with one long text; `name` is its digest.
struct BlobWorld : ServerWorld {
  explicit BlobWorld(net::ServerConfig settings = {}) : ServerWorld(std::move(settings)) {
    auto long_one = attachment("t", "m", schema::ResponseParts{.response = std::string(5000, 'x') + "ü"});
    xml = *long_one.xml;
    name = schema::to_hex(schema::sha256(xml));
    ref = put_refs({topic("t"), message("m", "t"), long_one}).back();
    auto short_one = attachment("t", "m2", schema::ResponseParts{.response = "short"});
    short_name = schema::to_hex(schema::sha256(*short_one.xml));
    put({message("m2", "t"), short_one});
  }
  std::vector<std::string> put_refs(std::vector<schema::Record> records) {
    return write(std::move(records)).value().refs;
  }

  std::string xml;
  std::string name;
  std::string short_name;
  std::string ref;
};

std::string getting(std::string const& path, std::string const& more = "") {
  return "GET " + path + " HTTP/1.1\r\n" + more;
}

BOOST_AUTO_TEST_CASE(a_blob_is_its_bytes_and_never_a_page_of_this_origin) {
  BlobWorld world;
  RawClient client{world.port()};
  auto const answer = client.request(getting("/blob/" + world.name));
  BOOST_TEST(answer.starts_with("HTTP/1.1 200 "), answer.substr(0, 500));
  BOOST_TEST(answer.ends_with("\r\n\r\n" + world.xml));
  for (std::string const& field :
       {std::string("Content-Type: application/xml"), "ETag: \"" + world.name + "\"",
        std::string("Cache-Control: private, immutable"), std::string("Content-Disposition: attachment"),
        std::string("Content-Security-Policy: sandbox"), std::string("X-Content-Type-Options: nosniff")}) {
    BOOST_TEST(answer.find("\r\n" + field + "\r\n") != std::string::npos, field);
  }
  auto const head = client.request("HEAD /blob/" + world.name + " HTTP/1.1\r\n");
  BOOST_TEST(head.find("Content-Length: " + std::to_string(world.xml.size()) + "\r\n") != std::string::npos, head);
  BOOST_TEST(head.ends_with("\r\n\r\n"));
}

BOOST_AUTO_TEST_CASE(a_blob_outlives_its_deleted_attachment) {
  BlobWorld world;
  engine::WriteBatch batch;
  batch.deletes = {schema::parse_ref(world.ref).value()};
  auto const written = world.engine->write(std::move(batch));
  BOOST_REQUIRE(written.has_value());
  RawClient client{world.port()};
  BOOST_TEST(client.request(getting("/blob/" + world.name)).ends_with(world.xml));
}

BOOST_AUTO_TEST_CASE(anything_else_under_blob_is_not_found) {
  BlobWorld world;
  RawClient client{world.port()};
  std::string upper = world.name;
  for (char& c : upper) c = c >= 'a' ? static_cast<char>(c - 32) : c;
  for (std::string const& rest :
       {std::string(), std::string(64, '0'), world.short_name, world.name.substr(1), world.name + "0", world.name + "/",
        "/" + world.name, upper, "..%2f" + world.name, std::string(4000, 'a'), std::string("..")}) {
    auto const answer = client.request(getting("/blob/" + rest));
    BOOST_TEST(answer.starts_with("HTTP/1.1 404 "), rest << ": " << answer.substr(0, 100));
    BOOST_TEST(answer.find("{\"error\":") != std::string::npos);
  }
  BOOST_TEST(client.request(getting("/blob")).starts_with("HTTP/1.1 404 "));
  BOOST_TEST(client.request(getting("/healthz/")).starts_with("HTTP/1.1 404 "));
  BOOST_TEST(client.request(getting("/blob/" + world.name + "?download=1")).starts_with("HTTP/1.1 200 "));
  auto const posted = client.request("POST /blob/" + world.name + " HTTP/1.1\r\nContent-Length: 0\r\n");
  BOOST_TEST(posted.starts_with("HTTP/1.1 405 "), posted);
}

}  // namespace
}  // namespace whence::test
