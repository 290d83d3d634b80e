// A node as rmw_fastrtps has it, on eProsima's DDS: it reads what robots of a server write, and drives one. Run by tests/e2e/ros2_judge.sh:
// judge DOMAIN ROBOT SECONDS. It prints a line for each thing that is as ROS 2 wants it, and exits with 1 at the first that does not come.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <thread>

#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>

#include "judgePubSubTypes.h"

using namespace eprosima::fastdds::dds;
using eprosima::fastrtps::rtps::GUID_t;
using Clock = std::chrono::steady_clock;

static DomainParticipant *participant;
static Publisher *publisher;
static Subscriber *subscriber;
static std::chrono::seconds patience;

[[noreturn]] static void fail(const std::string &what)
{
    std::printf("missing: %s\n", what.c_str());
    std::exit(1);
}

template <class Type> static Topic *topic_of(const std::string &name)
{
    TypeSupport type(new Type);
    // two types of one name, as of cmd_vel, have a participant each in Fast DDS: here they come one after the other
    type.register_type(participant);
    Topic *topic = participant->create_topic(name, type.get_type_name(), TOPIC_QOS_DEFAULT);
    return topic ? topic : (fail("topic " + name), nullptr);
}

// Of a topic, with what a subscription of rclcpp asks for.
template <class Type> class Reader
{
  public:
    using Message = typename Type::type;

    Reader(const std::string &topic, bool reliable = true, bool lasting = false) : name(topic)
    {
        DataReaderQos qos;
        qos.reliability().kind = reliable ? RELIABLE_RELIABILITY_QOS : BEST_EFFORT_RELIABILITY_QOS;
        qos.durability().kind = lasting ? TRANSIENT_LOCAL_DURABILITY_QOS : VOLATILE_DURABILITY_QOS;
        qos.history().kind = KEEP_LAST_HISTORY_QOS;
        qos.history().depth = lasting ? 1 : 10;
        qos.endpoint().history_memory_policy =
            eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
        reader = subscriber->create_datareader(topic_of<Type>(topic), qos);
        if (!reader)
            fail("reader of " + name);
    }

    // Waits for a message that is as wanted.
    Message await(const std::function<bool(const Message &)> &wanted)
    {
        const auto late = Clock::now() + patience;
        Message message;
        while (Clock::now() < late) {
            SampleInfo info;
            if (reader->take_next_sample(&message, &info) != ReturnCode_t::RETCODE_OK) {
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            } else if (info.valid_data && wanted(message)) {
                writer = eprosima::fastrtps::rtps::iHandle2GUID(info.publication_handle);
                return message;
            }
        }
        fail("a message of " + name);
    }

    std::string name;
    GUID_t writer; // of the message that was awaited
    DataReader *reader;
};

template <class Type> class Writer
{
  public:
    explicit Writer(const std::string &name) : topic(topic_of<Type>(name))
    {
        DataWriterQos qos; // a publisher of rclcpp: reliable, volatile, depth 10
        qos.reliability().kind = RELIABLE_RELIABILITY_QOS;
        qos.history().depth = 10;
        writer = publisher->create_datawriter(topic, qos);
    }
    ~Writer()
    {
        publisher->delete_datawriter(writer);
        participant->delete_topic(topic);
    }
    Topic *topic;
    DataWriter *writer;
};

static std::string bytes_of(const GUID_t &guid)
{
    return std::string(reinterpret_cast<const char *>(guid.guidPrefix.value), 12) +
           std::string(reinterpret_cast<const char *>(guid.entityId.value), 4);
}

static std::string bytes_of(const rmw_dds_common::msg::dds_::Gid_ &gid)
{
    return std::string(reinterpret_cast<const char *>(gid.data().data()), 16);
}

static void join(int domain)
{
    using eprosima::fastdds::rtps::UDPv4TransportDescriptor;
    DomainParticipantQos qos;
    auto udp = std::make_shared<UDPv4TransportDescriptor>();
    udp->interfaceWhiteList.push_back("127.0.0.1");
    udp->maxInitialPeersRange = 20;
    qos.transport().use_builtin_transports = false;
    qos.transport().user_transports.push_back(udp);
    eprosima::fastrtps::rtps::Locator_t here;
    eprosima::fastrtps::rtps::IPLocator::setIPv4(here, "127.0.0.1");
    here.port = 0;
    qos.wire_protocol().builtin.initialPeersList.push_back(here);
    participant = DomainParticipantFactory::get_instance()->create_participant(domain, qos);
    publisher = participant ? participant->create_publisher(PUBLISHER_QOS_DEFAULT) : nullptr;
    subscriber = participant ? participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT) : nullptr;
    if (!publisher || !subscriber)
        fail("a participant");
}

using Odometry = Reader<nav_msgs::msg::dds_::Odometry_PubSubType>;

// Publishes a velocity until the robot moves; then nothing until it rests: s.
template <class Type>
static double drive(const std::string &topic, const typename Type::type &message, Odometry &odom)
{
    Writer<Type> velocity(topic);
    auto last = Clock::now();
    odom.await([&](const nav_msgs::msg::dds_::Odometry_ &m) {
        auto copy = message;
        if (m.twist().twist().linear().x() > 0.05)
            return true;
        if (Clock::now() - last > std::chrono::milliseconds(50)) {
            velocity.writer->write(&copy);
            last = Clock::now();
        }
        return false;
    });
    odom.await([](const nav_msgs::msg::dds_::Odometry_ &m) {
        return m.twist().twist().linear().x() == 0;
    });
    return std::chrono::duration<double>(Clock::now() - last).count();
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const std::string robot = argv[2], rt = "rt/" + robot + "/";
    patience = std::chrono::seconds(std::atoi(argv[3]));
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    join(std::atoi(argv[1]));

    Odometry odom(rt + "odom");
    const auto o = odom.await([](const nav_msgs::msg::dds_::Odometry_ &) { return true; });
    const auto &q = o.pose().pose().orientation();
    std::printf("odom: %s in %s, |q| = %.3f, stamp %d\n", o.child_frame_id().c_str(),
                o.header().frame_id().c_str(),
                std::sqrt(q.x() * q.x() + q.y() * q.y() + q.z() * q.z() + q.w() * q.w()),
                o.header().stamp().sec() > 1600000000);

    // the node has the writer of that message among its own
    using Graph = rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_;
    Reader<rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_PubSubType> graph(
        "ros_discovery_info", true, true);
    graph.await([&](const Graph &m) {
        std::set<std::string> gids;
        for (const auto &node : m.node_entities_info_seq())
            if (node.node_namespace() == "/" && node.node_name() == robot)
                for (const auto &gid : node.writer_gid_seq())
                    gids.insert(bytes_of(gid));
        return gids.count(bytes_of(odom.writer)) == 1 &&
               bytes_of(m.gid()).substr(0, 12) == bytes_of(odom.writer).substr(0, 12);
    });
    std::printf("node: /%s, with the writer of odom\n", robot.c_str());

    Reader<sensor_msgs::msg::dds_::JointState_PubSubType> joints(rt + "joint_states");
    const auto j = joints.await([](const sensor_msgs::msg::dds_::JointState_ &) { return true; });
    std::printf("joint_states:");
    for (const auto &name : j.name())
        std::printf(" %s", name.c_str());
    std::printf(", %zu positions, %zu velocities\n", j.position().size(), j.velocity().size());

    Reader<std_msgs::msg::dds_::String_PubSubType> description(rt + "robot_description", true,
                                                               true);
    const auto d = description.await([](const std_msgs::msg::dds_::String_ &) { return true; });
    std::printf("robot_description: %d\n",
                d.data().find("<robot name=\"" + robot + "\"") != std::string::npos);

    std::set<std::string> frames;
    Reader<tf2_msgs::msg::dds_::TFMessage_PubSubType> tf("rt/tf"),
        fixed("rt/tf_static", true, true);
    const auto has_frame = [&](const tf2_msgs::msg::dds_::TFMessage_ &m) {
        for (const auto &t : m.transforms())
            frames.insert(t.child_frame_id());
        return !m.transforms().empty();
    };
    tf.await(has_frame);
    std::printf("tf: %zu\n", frames.count(robot + "/base"));
    fixed.await(has_frame);
    std::printf("tf_static: %zu\n", frames.count(robot + "/laser/scan"));

    Reader<sensor_msgs::msg::dds_::LaserScan_PubSubType> scan(rt + "scan", false);
    const auto s = scan.await([](const sensor_msgs::msg::dds_::LaserScan_ &) { return true; });
    std::printf("scan: %d\n",
                s.ranges().size() > 8 && s.angle_max() > s.angle_min() &&
                    std::fabs(s.angle_min() + s.angle_increment() * (s.ranges().size() - 1) -
                              s.angle_max()) < 1e-3);
    Reader<sensor_msgs::msg::dds_::Range_PubSubType> range(rt + "range", false);
    const auto r = range.await([](const sensor_msgs::msg::dds_::Range_ &) { return true; });
    std::printf("range: type %d, %d\n", r.radiation_type(), r.max_range() > r.min_range());
    Reader<sensor_msgs::msg::dds_::Imu_PubSubType> imu(rt + "imu", false);
    const auto i = imu.await([](const sensor_msgs::msg::dds_::Imu_ &) { return true; });
    std::printf("imu: g %.1f\n", i.linear_acceleration().z());
    Reader<sensor_msgs::msg::dds_::BatteryState_PubSubType> battery(rt + "battery_state");
    const auto b =
        battery.await([](const sensor_msgs::msg::dds_::BatteryState_ &) { return true; });
    std::printf("battery_state: present %d, share %d\n", b.present(),
                b.percentage() > 0 && b.percentage() <= 1);
    Reader<diagnostic_msgs::msg::dds_::DiagnosticArray_PubSubType> diagnostics(rt + "diagnostics");
    const auto g = diagnostics.await(
        [](const diagnostic_msgs::msg::dds_::DiagnosticArray_ &) { return true; });
    std::printf("diagnostics: %s, level %d, %zu values\n", g.status().at(0).name().c_str(),
                g.status().at(0).level(), g.status().at(0).values().size());
    Reader<sensor_msgs::msg::dds_::CompressedImage_PubSubType> image(rt + "camera/image/compressed",
                                                                     false);
    const auto c =
        image.await([](const sensor_msgs::msg::dds_::CompressedImage_ &) { return true; });
    std::printf("image: %s, %d\n", c.format().c_str(),
                c.data().size() > 2 && c.data()[0] == 0xff && c.data()[1] == 0xd8);

    geometry_msgs::msg::dds_::Twist_ twist;
    twist.linear().x(0.2);
    const double rested =
        drive<geometry_msgs::msg::dds_::Twist_PubSubType>(rt + "cmd_vel", twist, odom);
    std::printf("cmd_vel: it drives, and stops by its deadman: %d\n", rested > 0.3);
    geometry_msgs::msg::dds_::TwistStamped_ stamped;
    stamped.twist() = twist;
    const double again =
        drive<geometry_msgs::msg::dds_::TwistStamped_PubSubType>(rt + "cmd_vel", stamped, odom);
    std::printf("cmd_vel, with a stamp: %d\n", again > 0.3);
    std::fflush(stdout);
    std::_Exit(0); // the participant is left as by a kill: the server sees to that, too
}
