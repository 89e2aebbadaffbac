// Makes the TLS context of its files, and reads what certificates say. OpenSSL forgets a certificate that it refuses:
// why it did is noted with the connection while it checks.

#include "net/stream/tls_context.hpp"

#include "net/access/secret_file.hpp"
#include "net/access/token.hpp"
#include "schema/base/time.hpp"

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/ssl/error.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace whence::net {

namespace {

constexpr std::size_t names_max = 16;  ///< of a certificate

Error tls_error(std::string const& file, boost::system::error_code const& ec) {
  return Error{.code = Errc::invalid_params, .message = "TLS file " + file + ": " + ec.message()};
}

/// As X.690 encodes it; `write` is OpenSSL's function for the kind of object.
template <class Object, class Write>
std::string encoded(Object* object, Write const& write) {
  std::string bytes(static_cast<std::size_t>(std::max(write(object, nullptr), 0)), '\0');
  auto* end = reinterpret_cast<unsigned char*>(bytes.data());
  if (!bytes.empty()) write(object, &end);
  return bytes;
}
std::string der_of(X509* certificate) {
  return encoded(certificate, i2d_X509);
}
std::string der_of(X509_CRL* revoked) {
  return encoded(revoked, i2d_X509_CRL);
}

std::optional<schema::Time> expiry_of(X509 const* certificate) {
  std::tm utc = {};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &utc) != 1) return std::nullopt;
  return schema::Time{::timegm(&utc), 0};
}

std::string text_of(ASN1_STRING const* string) {
  return {reinterpret_cast<char const*>(ASN1_STRING_get0_data(string)),
          static_cast<std::size_t>(ASN1_STRING_length(string))};
}

/// A name is compared as it is: one with a zero in it is no name.
void add_name(std::vector<std::string>& names, std::string name) {
  if (is_shown_name(name) && names.size() < names_max) names.push_back(std::move(name));
}

void add_alternative_names(std::vector<std::string>& names, X509 const* certificate) {
  using Names = std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)>;
  Names const found{static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
                    &GENERAL_NAMES_free};
  if (!found) return;
  for (int i = 0; i < sk_GENERAL_NAME_num(found.get()); ++i) {
    auto const* const name = sk_GENERAL_NAME_value(found.get(), i);
    bool const is_text = name->type == GEN_DNS || name->type == GEN_EMAIL || name->type == GEN_URI;
    if (is_text) add_name(names, text_of(name->d.ia5));
  }
}

void add_common_name(std::vector<std::string>& names, X509 const* certificate) {
  auto* const subject = X509_get_subject_name(certificate);
  int const place = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (place < 0) return;
  unsigned char* utf8 = nullptr;
  int const size = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, place)));
  if (size < 0) return;
  add_name(names, {reinterpret_cast<char const*>(utf8), static_cast<std::size_t>(size)});
  OPENSSL_free(utf8);
}

/// Of the certificates that a client's is checked against.
schema::Digest authorities_of(boost::asio::ssl::context& tls) {
  schema::Sha256 all;
  auto const* const trusted = X509_STORE_get0_objects(SSL_CTX_get_cert_store(tls.native_handle()));
  for (int i = 0; i < sk_X509_OBJECT_num(trusted); ++i) {
    auto* const object = sk_X509_OBJECT_value(trusted, i);
    if (auto* const each = X509_OBJECT_get0_X509(object)) all.update(der_of(each));
    if (auto* const each = X509_OBJECT_get0_X509_CRL(object)) all.update(der_of(each));
  }
  return all.finish();
}

void free_refusal(void* /*tls*/, void* refusal, CRYPTO_EX_DATA* /*data*/, int /*index*/, long /*given*/,
                  void* /*more*/) {
  delete static_cast<std::string*>(refusal);
}

/// The place of a connection's refusal among what OpenSSL keeps for it.
int refusal_index() {
  static int const index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, free_refusal);
  return index;
}

/// OpenSSL forgets a certificate that it refuses.
void note_refusal(X509_STORE_CTX* checked) {
  auto* const tls = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(checked, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto const* const shown = X509_STORE_CTX_get0_cert(checked);
  if (tls == nullptr || shown == nullptr || SSL_get_ex_data(tls, refusal_index()) != nullptr) return;
  std::vector<std::string> names;
  add_alternative_names(names, shown);
  add_common_name(names, shown);
  auto refusal = std::make_unique<std::string>("the certificate");
  if (!names.empty()) *refusal += " of " + names.front();
  *refusal += std::string{": "} + X509_verify_cert_error_string(X509_STORE_CTX_get_error(checked));
  if (SSL_set_ex_data(tls, refusal_index(), refusal.get()) == 1) static_cast<void>(refusal.release());
}

/// Clients may show a certificate of these authorities.
Result<void> ask_for_certificates(boost::asio::ssl::context& tls, std::string const& file) {
  constexpr std::string_view sessions = "whence";
  boost::system::error_code ec;
  tls.load_verify_file(file, ec);
  auto* const names = ec ? nullptr : SSL_load_client_CA_file(file.c_str());
  if (!ec && names == nullptr) ec = {static_cast<int>(ERR_get_error()), boost::asio::error::get_ssl_category()};
  if (ec) return tls_error(file, ec);
  SSL_CTX_set_client_CA_list(tls.native_handle(), names);
  tls.set_verify_mode(boost::asio::ssl::verify_peer, ec);
  if (ec) return tls_error(file, ec);
  // Without a name for them OpenSSL refuses to resume sessions that have a client's certificate.
  SSL_CTX_set_session_id_context(tls.native_handle(), reinterpret_cast<unsigned char const*>(sessions.data()),
                                 static_cast<unsigned>(sessions.size()));
  tls.set_verify_callback(
      [](bool is_good, boost::asio::ssl::verify_context& shown) {
        if (!is_good) note_refusal(shown.native_handle());
        return is_good;
      },
      ec);
  return ec ? Result<void>{tls_error(file, ec)} : Result<void>{};
}

/// A certificate is looked up in the list of its authority.
Result<void> look_up_revoked(boost::asio::ssl::context& tls, std::string const& file) {
  auto* const store = SSL_CTX_get_cert_store(tls.native_handle());
  auto* const lookup = X509_STORE_add_lookup(store, X509_LOOKUP_file());
  ERR_clear_error();
  if (lookup == nullptr || X509_load_crl_file(lookup, file.c_str(), X509_FILETYPE_PEM) <= 0)
    return tls_error(file, {static_cast<int>(ERR_get_error()), boost::asio::error::get_ssl_category()});
  X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK);
  return {};
}

}  // namespace

Result<std::unique_ptr<boost::asio::ssl::context>> load_tls(TlsFiles const& files, KeyPassword password) {
  using boost::asio::ssl::context;
  auto const& [cert_file, key_file, client_ca_file, client_crl_file] = files;
  auto tls = std::make_unique<context>(context::tls_server);
  boost::system::error_code ec;
  tls->use_certificate_chain_file(cert_file, ec);
  if (ec) return tls_error(cert_file, ec);
  if (auto const checked = check_secret_file(key_file); !checked) {
    return Error{.code = Errc::invalid_params, .message = "TLS key " + checked.error().message};
  }
  if (password == KeyPassword::is_refused) {
    tls->set_password_callback([](std::size_t, context::password_purpose) { return std::string{}; }, ec);
  }
  tls->use_private_key_file(key_file, context::pem, ec);
  if (ec) return tls_error(key_file, ec);
  if (SSL_CTX_check_private_key(tls->native_handle()) != 1) {
    return Error{.code = Errc::invalid_params, .message = "TLS key " + key_file + " does not belong to " + cert_file};
  }
  if (!client_ca_file.empty()) {
    if (auto const asked = ask_for_certificates(*tls, client_ca_file); !asked) return asked.error();
    if (!client_crl_file.empty()) {
      if (auto const known = look_up_revoked(*tls, client_crl_file); !known) return known.error();
    }
  }
  SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_2_VERSION);
  // Of TLS 1.2 what keeps its secrets where the key is known later; TLS 1.3 has nothing else.
  if (SSL_CTX_set_cipher_list(tls->native_handle(), "ECDHE+AESGCM:ECDHE+CHACHA20") != 1)
    return tls_error(cert_file, {static_cast<int>(ERR_get_error()), boost::asio::error::get_ssl_category()});
  SSL_CTX_set_options(tls->native_handle(), SSL_OP_NO_RENEGOTIATION);
  // Buffers of idle connections go back to the allocator: they are most of what an idle TLS connection holds.
  SSL_CTX_set_mode(tls->native_handle(), SSL_MODE_RELEASE_BUFFERS);
  return tls;
}

std::optional<CertificateClaim> certificate_of_peer(SSL* tls) {
  using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
  Certificate const shown{SSL_get1_peer_certificate(tls), &X509_free};
  if (!shown || SSL_get_verify_result(tls) != X509_V_OK) return std::nullopt;
  auto const ends = expiry_of(shown.get());
  if (!ends) return std::nullopt;
  CertificateClaim claim{.ends = *ends};
  add_alternative_names(claim.names, shown.get());
  add_common_name(claim.names, shown.get());
  return claim;
}

std::string refused_certificate(SSL* tls) {
  auto const* const refusal = static_cast<std::string const*>(SSL_get_ex_data(tls, refusal_index()));
  return refusal == nullptr ? std::string{} : *refusal;
}

bool is_plain_peer(boost::system::error_code const& failed) noexcept {
  if (failed.category() != boost::asio::error::get_ssl_category()) return false;
  auto const reason = ERR_GET_REASON(static_cast<unsigned long>(failed.value()));
  return reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST;
}

TlsCertificate certificate_of(boost::asio::ssl::context& tls) {
  auto* const own = SSL_CTX_get0_certificate(tls.native_handle());
  if (own == nullptr) return {};
  STACK_OF(X509)* above = nullptr;
  SSL_CTX_get0_chain_certs(tls.native_handle(), &above);
  auto const der = der_of(own);
  schema::Sha256 chain;
  chain.update(der);
  for (int i = 0; i < sk_X509_num(above); ++i) chain.update(der_of(sk_X509_value(above, i)));
  auto const expires = expiry_of(own);
  return {.fingerprint = schema::to_hex(schema::sha256(std::string_view{der})),
          .expires = expires ? schema::format_rfc3339(*expires) : std::string{},
          .expires_s = expires ? expires->seconds : 0,
          .chain = chain.finish(),
          .client_authorities = authorities_of(tls)};
}

}  // namespace whence::net
