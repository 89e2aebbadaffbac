// The explorer's files at `/`, and the files of an export.

#include "net/serving/page_files.hpp"
#include "schema/base/digest.hpp"
#include "tests/net/server/server_fixture.hpp"
#include "tests/support/wait_until.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

/// A folder with a page, a compressed script and a folder in it.
struct PageFolder {
  PageFolder() {
    std::filesystem::create_directories(path() / "inner");
    write("index.html", "<!doctype html><title>page</title>");
    write("app.js", "let plain;");
    write("app.js.gz", "not really gzip");
    write("inner/secret.txt", "secret");
  }
  [[nodiscard]] std::filesystem::path path() const { return folder.path() / "page"; }
  void write(std::string const& name, std::string const& text) { std::ofstream{path() / name} << text; }

  TemporaryDirectory folder;
};

struct PageWorld : PageFolder, ServerWorld {
  PageWorld() : ServerWorld(net::ServerConfig{.explorer = path().string()}) {}
};

std::string body_of(std::string const& answer) {
  return answer.substr(answer.find("\r\n\r\n") + 4);
}

BOOST_AUTO_TEST_CASE(the_page_may_ask_only_this_server) {
  PageWorld world;
  RawClient client{world.port()};
  auto const answer = client.request("GET / HTTP/1.1\r\n");
  BOOST_TEST(answer.starts_with("HTTP/1.1 200 "), answer);
  BOOST_TEST(body_of(answer) == "<!doctype html><title>page</title>");
  for (std::string const field :
       {"Content-Type: text/html; charset=utf-8", "Content-Security-Policy: default-src 'self'; frame-ancestors 'none'",
        "X-Content-Type-Options: nosniff", "Cache-Control: no-cache"}) {
    BOOST_TEST(answer.find("\r\n" + field + "\r\n") != std::string::npos, field << " in " << answer);
  }
}

BOOST_AUTO_TEST_CASE(files_are_compressed_for_clients_that_accept_it) {
  PageWorld world;
  RawClient client{world.port()};
  auto const plain = client.request("GET /explorer/app.js HTTP/1.1\r\n");
  BOOST_TEST(body_of(plain) == "let plain;");
  BOOST_TEST(plain.find("Content-Encoding") == std::string::npos);
  auto const compressed = client.request("GET /explorer/app.js HTTP/1.1\r\nAccept-Encoding: deflate, gzip;q=0.8\r\n");
  BOOST_TEST(compressed.find("\r\nContent-Encoding: gzip\r\n") != std::string::npos, compressed);
  BOOST_TEST(body_of(compressed) == "not really gzip");
}

BOOST_AUTO_TEST_CASE(nothing_beside_the_folder_is_served) {
  PageWorld world;
  for (std::string const path :
       {"/explorer/", "/explorer/none.js", "/explorer/inner/secret.txt", "/explorer/../server_page_test.cpp",
        "/explorer/%2e%2e/index.html", "/explorer/app.js.gz"}) {
    RawClient client{world.port()};
    BOOST_TEST(client.request("GET " + path + " HTTP/1.1\r\n").starts_with("HTTP/1.1 404 "), path);
  }
}

BOOST_AUTO_TEST_CASE(without_an_explorer_the_page_names_its_absence) {
  ServerWorld world;
  RawClient client{world.port()};
  auto const answer = client.request("GET / HTTP/1.1\r\n");
  BOOST_TEST(answer.starts_with("HTTP/1.1 200 "), answer);
  BOOST_TEST(answer.find("--explorer") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_folder_without_a_page_is_refused) {
  TemporaryDirectory const empty;
  auto const pages = net::PageFiles::read(empty.path());
  BOOST_REQUIRE(pages.has_error());
  BOOST_TEST(pages.error().code == Errc::not_found);
  BOOST_TEST(net::PageFiles::read(empty.path() / "none").has_error());
}

BOOST_AUTO_TEST_CASE(a_file_of_an_export_is_its_bytes_and_never_a_page_of_this_origin) {
  ServerWorld world;
  world.put_units(2000);
  auto const call = [&](std::string const& method, std::string const& params) {
    return world.service->call(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}",
                               net::Role::read);
  };
  auto const job = json::parse(call("export.start", R"({"format":"graphml"})")).at("result").at("job").as_string();
  auto const about = R"({"job":")" + std::string(job) + R"("})";
  json::value status;
  BOOST_TEST_REQUIRE(wait_until([&] {
    status = json::parse(call("export.status", about));
    return status.at("result").at("state") != "running";
  }));
  json::value const& file = status.at("result").at("files").at(0);
  RawClient client{world.port()};
  auto const answer = client.request("GET " + std::string(file.at("url").as_string()) + " HTTP/1.1\r\n");
  BOOST_TEST(answer.starts_with("HTTP/1.1 200 "), answer.substr(0, 500));
  auto const body = body_of(answer);
  BOOST_TEST(schema::to_hex(schema::sha256(body)) == file.at("sha256").as_string());
  for (std::string const& field :
       {"ETag: \"" + std::string(file.at("sha256").as_string()) + "\"",
        std::string("Cache-Control: private, immutable"), std::string("Content-Disposition: attachment"),
        std::string("Content-Security-Policy: sandbox")}) {
    BOOST_TEST(answer.find("\r\n" + field + "\r\n") != std::string::npos, field);
  }
  auto const own = "/export/" + std::string(job);
  for (std::string const& path : {std::string("/export/"), own, own + "/../data.mdb", own + "x/export.graphml"}) {
    BOOST_TEST(client.request("GET " + path + " HTTP/1.1\r\n").starts_with("HTTP/1.1 404 "), path);
  }
}

}  // namespace
}  // namespace whence::test
