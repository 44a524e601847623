#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "images/store/archive_testing.h"
#include "images/store/image_store.h"
#include "images/store/image_use.h"
#include "images/store/load.h"
#include "posix/process/program.h"
#include "posix/testing.h"

namespace windlass::images {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

bool same_file(const std::string& a, const std::string& b) {
  struct stat first = {};
  struct stat second = {};
  return ::lstat(a.c_str(), &first) == 0 && ::lstat(b.c_str(), &second) == 0 &&
         first.st_ino == second.st_ino;
}

class ImageStoreTest : public ::testing::Test {
 protected:
  void make_empty(const std::string& path) {
    EXPECT_TRUE(files.remove_tree(directory / path));
    EXPECT_TRUE(files.make_directory(directory / path));
  }
  Result<UnpackedLayer> unpack(const TarText& tar) {
    make_empty("tree");
    directory.write("outside", "untouched");
    const std::string path = directory.write("layer.tar", tar.text());
    const posix::FileDescriptor archive(::openat(AT_FDCWD, path.c_str(), O_RDONLY));
    return unpack_layer(archive.get(), directory / "tree", 0);
  }
  std::string in_tree(const std::string& path) {
    return files.read(directory / ("tree/" + path), 1000).value_or("(none)");
  }
  std::string in_root(const ImageRecord& image, const std::string& path) {
    return files.read(image.root + "/" + path, 1000).value_or("(none)");
  }
  ImageStore store(uint64_t keep_free = 0) {
    return {directory / "images", [this](const std::string&) { return used; }, keep_free};
  }
  // As `docker save` writes it, of these layers.
  std::string saved(const std::string& tag, const std::vector<TarText>& layers,
                    const std::string& config = "{}", bool wrong_digest = false) {
    TarText archive;
    std::string digests;
    std::string paths;
    for (size_t i = 0; i < layers.size(); ++i) {
      const std::string name = "layer" + std::to_string(i) + ".tar";
      archive.file(name, layers[i].text());
      digests += (i == 0 ? "\"" : ",\"") +
                 sha256_digest(layers[i].text() + (wrong_digest ? "x" : "")) + "\"";
      paths += (i == 0 ? "\"" : ",\"") + name + "\"";
    }
    archive.file("config.json", R"({"os":"linux","config":)" + config +
                                    R"(,"rootfs":{"diff_ids":[)" + digests + "]}}");
    archive.file("manifest.json", R"([{"Config":"config.json","RepoTags":[")" + tag +
                                      R"("],"Layers":[)" + paths + "]}]");
    return directory.write("saved.tar", archive.text());
  }
  Result<ImageRecord> load(const std::string& source, const std::string& name = "") {
    ImageStore images = store();
    auto loaded = load_images(images, {source, name, "amd64", ""});
    return loaded ? Result<ImageRecord>(loaded->front().image) : fail(loaded.error());
  }
  std::vector<std::string> names() {
    std::vector<std::string> out;
    for (const NamedImage& each : store().catalog().list()) {
      out.push_back(each.name);
    }
    return out;
  }
  std::vector<std::string> in_store(const std::string& folder) {
    return files.list(directory / ("images/" + folder)).value_or(std::vector<std::string>());
  }

  posix::TemporaryDirectory directory;
  posix::PosixFiles files;
  std::set<std::string> used;
};

TEST_F(ImageStoreTest, ALayerIsUnpackedAsItIs) {
  TarText tar;
  tar.directory("./").directory("./bin", 0555).file("./bin/tool", "#!", 0755);
  tar.link("./bin/alias", "tool").hard_link("./bin/same", "./bin/tool").file("empty", "");
  const auto layer = unpack(tar);
  ASSERT_TRUE(layer) << layer.error().message;
  EXPECT_EQ(layer->digest, sha256_digest(tar.text()));
  EXPECT_EQ(in_tree("bin/tool"), "#!");
  EXPECT_EQ(in_tree("bin/alias"), "#!");
  EXPECT_TRUE(same_file(directory / "tree/bin/tool", directory / "tree/bin/same"));
  EXPECT_EQ(in_tree("empty"), "");
  EXPECT_THAT(layer->marks.implied, IsEmpty());
}

TEST_F(ImageStoreTest, CompressedLayersHaveTheDigestOfWhatIsInside) {
  TarText tar;
  tar.file("a", std::string(300'000, 'a'));
  const std::string plain = directory.write("plain.tar", tar.text());
  for (const char* way : {"--gzip", "--zstd", "--xz", "--bzip2"}) {
    const std::string packed = directory / "packed";
    const char* program = std::string(way) == "--gzip"   ? "gzip"
                          : std::string(way) == "--zstd" ? "zstd"
                          : std::string(way) == "--xz"   ? "xz"
                                                         : "bzip2";
    if (!posix::run_program({"sh", "-c", std::string(program) + " -c " + plain + " >" + packed})) {
      continue;  // not every machine has each of them
    }
    make_empty("tree");
    const posix::FileDescriptor archive(::openat(AT_FDCWD, packed.c_str(), O_RDONLY));
    const auto layer = unpack_layer(archive.get(), directory / "tree", 0);
    ASSERT_TRUE(layer) << way << layer.error().message;
    EXPECT_EQ(layer->digest, sha256_digest(tar.text())) << way;
  }
}

TEST_F(ImageStoreTest, NothingLeadsOutOfTheRoot) {
  const std::string outside = directory / "outside";
  std::vector<TarText> hostile(8);
  hostile[0].file("../outside", "changed");
  hostile[1].file("a/../../outside", "changed");
  hostile[2].link("up", "..").file("up/outside", "changed");
  hostile[3].link("top", directory.path()).file("top/outside", "changed");
  hostile[4].hard_link("inside", "../outside").file("inside", "changed");
  hostile[5].link("x", outside).hard_link("y", "x").file("y", "changed");
  hostile[6].link("x", outside).file("x", "changed");
  hostile[7].directory("d").link("d", "..").file("d/outside", "changed");
  for (size_t i = 0; i < hostile.size(); ++i) {
    static_cast<void>(unpack(hostile[i]));
    EXPECT_EQ(directory.read("outside"), "untouched") << i;
    struct stat info = {};
    EXPECT_TRUE(::stat(outside.c_str(), &info) == 0 && info.st_nlink == 1) << i;
  }
  EXPECT_THAT(unpack(hostile[0]).error().message, HasSubstr("which leads out of the image"));
  EXPECT_THAT(unpack(hostile[4]).error().message, HasSubstr("which leads out of the image"));
}

// As a container would find it: in its own root.
TEST_F(ImageStoreTest, LinksOnTheWayAreFollowedInsideTheRoot) {
  TarText tar;
  tar.directory("usr").directory("usr/lib").link("lib", "/usr/lib").file("lib/a", "here");
  ASSERT_TRUE(unpack(tar));
  EXPECT_EQ(in_tree("usr/lib/a"), "here");
}

TEST_F(ImageStoreTest, DevicesAreLeftOutAndSoAreAttributesOfOverlays) {
  TarText tar;
  tar.device("dev/null").file("dev/kept", "x").directory("e").pipe("pipe");
  const auto layer = unpack(tar);
  ASSERT_TRUE(layer) << layer.error().message;
  EXPECT_EQ(layer->devices, 1u);
  EXPECT_FALSE(files.type(directory / "tree/dev/null"));
  EXPECT_EQ(in_tree("dev/kept"), "x");
}

TEST_F(ImageStoreTest, WhatIsNoArchiveIsAnErrorThatSaysSo) {
  TarText good;
  good.file("a", std::string(100'000, 'a'));
  const std::string text = good.text();
  EXPECT_THAT(load(directory.write("broken", "this is not an archive"), "a").error().message,
              HasSubstr("the file is no tar archive, or damaged"));
  EXPECT_THAT(load(directory.write("cut", text.substr(0, 50'000)), "a").error().message,
              HasSubstr("damaged"));
  EXPECT_FALSE(load(directory / "none", "a"));
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_THAT(in_store("layers"), IsEmpty());
  EXPECT_THAT(in_store(""), ElementsAre("images", "layers", "names"));
}

TEST_F(ImageStoreTest, AFullDiskIsAClearError) {
  ImageStore images = store(uint64_t{1} << 60);
  const auto loaded = load_images(images, {saved("a:1", {TarText().file("a", "1")}), "", "", ""});
  EXPECT_THAT(loaded.error().message, HasSubstr("no space left on the disk of the images"));
  EXPECT_THAT(in_store(""), ElementsAre("images", "layers", "names"));
}

TEST_F(ImageStoreTest, LayersLieOverEachOther) {
  TarText below;
  below.directory("etc").file("etc/kept", "1").file("etc/gone", "1").file("etc/new", "1");
  below.directory("cache", 01777).file("cache/a", "1").file("was-file", "1");
  below.directory("was-directory").file("was-directory/a", "1");
  TarText above;
  above.file("etc/.wh.gone", "").file("etc/new", "2").file("cache/.wh..wh..opq", "");
  above.file("cache/b", "2").directory("was-file").file("was-file/a", "2");
  above.file("was-directory", "2").file(".wh.not-there", "");
  const auto image = load(saved("demo:1", {below, above}));
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(in_root(*image, "etc/kept"), "1");
  EXPECT_EQ(in_root(*image, "etc/gone"), "(none)");
  EXPECT_EQ(in_root(*image, "etc/new"), "2");
  EXPECT_EQ(in_root(*image, "cache/a"), "(none)");
  EXPECT_EQ(in_root(*image, "cache/b"), "2");
  EXPECT_EQ(in_root(*image, "was-file/a"), "2");
  EXPECT_EQ(in_root(*image, "was-directory"), "2");
  struct stat info = {};
  ASSERT_EQ(::stat((image->root + "/cache").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 01777u) << "the layer above does not describe the directory";
}

TEST_F(ImageStoreTest, ALayerIsStoredOnce) {
  const TarText base = TarText().directory("lib").file("lib/big", std::string(100'000, 'b'));
  const auto one = load(saved("one:1", {base, TarText().file("a", "1")}));
  const auto two = load(saved("two:1", {base, TarText().file("b", "2")}));
  ASSERT_TRUE(one && two);
  EXPECT_EQ(in_store("layers").size(), 3u);
  EXPECT_TRUE(same_file(one->root + "/lib/big", two->root + "/lib/big"));
  ImageStore images = store();
  ASSERT_TRUE(images.remove(*api::parse_image_name("one:1")));
  EXPECT_EQ(in_store("layers").size(), 2u);
  EXPECT_EQ(in_root(*two, "b"), "2");
  EXPECT_EQ(files.read(two->root + "/lib/big", 200'000).value().size(), 100'000u);
}

TEST_F(ImageStoreTest, ALayerThatIsNotWhatTheImageNamesIsAnError) {
  const auto image = load(saved("a:1", {TarText().file("a", "1")}, "{}", true));
  EXPECT_THAT(image.error().message, HasSubstr("a layer has the digest sha256:"));
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_THAT(in_store("layers"), IsEmpty());
}

TEST_F(ImageStoreTest, AnImageInUseIsNotRemoved) {
  const auto image = load(saved("a:1", {TarText().file("a", "1")}));
  ASSERT_TRUE(image);
  used = {image->root};
  ImageStore images = store();
  EXPECT_EQ(images.remove(*api::parse_image_name("a:1")).error().message,
            "image \"a:1\" is in use: end the containers that run on it first");
  EXPECT_EQ(images.prune(true, std::nullopt)->names.size(), 0u);
  EXPECT_EQ(in_root(*image, "a"), "1");
  used.clear();
  const auto removed = images.remove(*api::parse_image_name("a:1"));
  ASSERT_TRUE(removed);
  EXPECT_GT(removed->bytes, 0u);
  EXPECT_THAT(in_store("images"), IsEmpty());
  EXPECT_EQ(images.remove(*api::parse_image_name("a:1")).error().message,
            "there is no image \"a:1\"");
}

TEST_F(ImageStoreTest, PruneTakesWhatHasNoTagOrTheOldestOrAll) {
  ASSERT_TRUE(load(saved("a:1", {TarText().file("a", std::string(100'000, '1'))})));
  ASSERT_TRUE(load(saved("a:1", {TarText().file("a", std::string(100'000, '2'))})));
  ASSERT_TRUE(load(saved("b:1", {TarText().file("b", std::string(100'000, '3'))})));
  ImageStore images = store();
  EXPECT_EQ(in_store("images").size(), 3u);
  EXPECT_GT(images.prune(false, std::nullopt)->bytes, 90'000u) << "the first has no name any more";
  EXPECT_THAT(names(), ElementsAre("a:1", "b:1"));
  EXPECT_THAT(images.prune(false, 150'000)->names, ElementsAre("a:1"));
  EXPECT_THAT(images.prune(true, std::nullopt)->names, ElementsAre("b:1"));
  EXPECT_EQ(images.bytes(), 0u);
}

TEST_F(ImageStoreTest, WhatAKilledProcessLeftIsMadeAnew) {
  const std::string archive = saved("a:1", {TarText().file("a", "1")});
  const auto image = load(archive);
  ASSERT_TRUE(image);
  const std::string layer = directory / ("images/layers/" + image->config.layers[0].substr(7));
  // In the middle of a removal: the records went first.
  ASSERT_TRUE(files.remove_tree(layer + "/layer"));
  ASSERT_TRUE(files.remove_tree(layer + "/files/a"));
  ASSERT_TRUE(files.remove_tree(directory / ("images/images/" + image->id + "/record")));
  EXPECT_THAT(names(), IsEmpty());
  const auto again = load(archive);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(in_root(*again, "a"), "1");
}

TEST_F(ImageStoreTest, RootFileSystemsNeedAName) {
  TarText tree;
  tree.directory("bin").file("bin/tool", "#!");
  const std::string archive = directory.write("root.tar", tree.text());
  EXPECT_THAT(load(archive).error().message, HasSubstr("give it one with --name NAME"));
  const auto image = load(archive, "tool");
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(in_root(*image, "bin/tool"), "#!");
  EXPECT_FALSE(image->has_config);
  make_empty("root/bin");
  const auto in_place = load(directory / "root", "here:1");
  ASSERT_TRUE(in_place) << in_place.error().message;
  EXPECT_EQ(in_place->root, directory / "root");
  ImageStore images = store();
  ASSERT_TRUE(images.remove(*api::parse_image_name("here:1")));
  EXPECT_TRUE(files.type(directory / "root/bin").has_value());
}

TEST_F(ImageStoreTest, AnOciLayoutIsReadForThisMachine) {
  const std::string layer = TarText().file("a", "amd").text();
  const std::string config =
      R"({"os":"linux","config":{"Cmd":["run"],"User":"me","Volumes":{"/data":{}},"WorkingDir":"/srv/work"},"rootfs":{"diff_ids":[")" +
      sha256_digest(layer) + R"("]}})";
  const std::string manifest = R"({"schemaVersion":2,"config":{"digest":")" +
                               sha256_digest(config) + R"("},"layers":[{"digest":")" +
                               sha256_digest(layer) + R"("}]})";
  const std::string index = R"({"manifests":[{"digest":")" + sha256_digest("other") +
                            R"(","platform":{"os":"linux","architecture":"arm64"}},{"digest":")" +
                            sha256_digest(manifest) +
                            R"(","platform":{"os":"linux","architecture":"amd64"}}]})";
  make_empty("oci/blobs/sha256");
  for (const std::string& blob : {layer, config, manifest, index}) {
    directory.write("oci/blobs/sha256/" + sha256_digest(blob).substr(7), blob);
  }
  directory.write("oci/oci-layout", R"({"imageLayoutVersion":"1.0.0"})");
  directory.write("oci/index.json",
                  R"({"manifests":[{"digest":")" + sha256_digest(index) +
                      R"(","annotations":{"org.opencontainers.image.ref.name":"demo:2"}}]})");
  const auto image = load(directory / "oci");
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(in_root(*image, "a"), "amd");
  EXPECT_TRUE(files.type(image->root + "/data").has_value()) << "a volume of the image";
  EXPECT_TRUE(files.type(image->root + "/srv/work").has_value());
  EXPECT_THAT(image->config.command, ElementsAre("run"));
  EXPECT_EQ(store().catalog().find(*api::parse_image_name("demo:2"))->status_id(),
            "demo@" + sha256_digest(index));
  directory.write("oci/blobs/sha256/" + sha256_digest(config).substr(7), "{}");
  EXPECT_THAT(load(directory / "oci").error().message, HasSubstr("or a damaged one"));
}

TEST_F(ImageStoreTest, PathsInManifestsDoNotLeadOut) {
  directory.write("secret.json", "{}");
  TarText archive;
  archive.link("config.json", "../../secret.json");
  archive.file("manifest.json",
               R"([{"Config":"../../../secret.json","RepoTags":["a:1"],"Layers":["../../x"]}])");
  EXPECT_FALSE(load(directory.write("bad.tar", archive.text())));
}

TEST(ImageUse, RootsAreReadFromMounts) {
  const std::string text =
      "36 35 0:31 / / rw - overlay overlay rw,lowerdir=/s/images/1/root,upperdir=/u,workdir=/w\n"
      "37 35 0:32 / / rw - overlay overlay rw,lowerdir=/s/a\\134:b\\040c/root:/else,userxattr\n"
      "38 35 0:33 / /x rw - tmpfs tmpfs rw\n";
  EXPECT_THAT(lower_directories(text, "/s"), ElementsAre("/s/images/1/root", "/s/a:b c/root"));
  EXPECT_THAT(lower_directories(text, "/other"), IsEmpty());
}

}  // namespace
}  // namespace windlass::images
