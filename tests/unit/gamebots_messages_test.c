/* What a Gamebots server says, line by line, in both dialects. The orders of groups and the forms of numbers are those that were seen of
 * USARSim's own servers (spec/gamebots.md has a sample of each); the values are those of the robot in gamebots_robot.h. */

#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "body/senses.h"
#include "gamebots/messages.h"
#include "gamebots_robot.h"
#include "robotalk/description.h"

static char room[8192];
static struct robo__gb_out out;
static struct robo__gb_vehicle *old, *new;

static int begin(void **state)
{
    out = robo__gb_out(room, sizeof room);
    old = make_vehicle(ROBO__GB_UT2004);
    new = make_vehicle(ROBO__GB_UDK);
    return !old || !new;
}

static int end(void **state)
{
    robo__gb_vehicle_free(old);
    robo__gb_vehicle_free(new);
    return 0;
}

/* All that was written since the last time. */
static void expect(const char *lines)
{
    room[out.n] = 0;
    assert_string_equal(room, lines);
    out = robo__gb_out(room, sizeof room);
}

/* Whether that begins what was written. */
static void expect_begin(const char *words)
{
    room[out.n] = 0;
    if (strncmp(room, words, strlen(words)) != 0)
        fail_msg("%.200s", room);
    out = robo__gb_out(room, sizeof room);
}

static struct robo__gb_text text(const char *words)
{
    return (struct robo__gb_text){ words, strlen(words) };
}

/* ---- the begin, and results ---- */

FIXTURE(begin, end);

TEST(the_greeting)
{
    robo__gb_hello(&out, "robotalk");
    expect("NFO {Gametype BotDeathMatch} {Level robotalk} {TimeLimit 0}\r\n");
}

TEST(start_poses)
{
    const struct robo__gb_start start[] = { { "A", { 1, 2, 0 }, { 0, 0, 1.5 } },
                                            { "B", { 0, -3.25, 0.5 }, { 0, 0, 0 } } };
    robo__gb_starts(&out, ROBO__GB_UT2004, start, 2);
    expect("NFO {StartPoses 2}"
           " {Name A Location 1.0000,-2.0000,0.0000 Orientation 0.0000,0.0000,-1.5000}"
           " {Name B Location 0.0000,3.2500,-0.5000 Orientation 0.0000,0.0000,0.0000}\r\n");
    robo__gb_starts(&out, ROBO__GB_UDK, start, 2);
    expect("NFO {StartPoses 2} {A 1.0000,-2.0000,0.0000 0.0000,0.0000,-1.5000"
           " B 0.0000,3.2500,-0.5000 0.0000,0.0000,0.0000}\r\n");
    robo__gb_starts(&out, ROBO__GB_UDK, start, 0);
    expect("NFO {StartPoses 0}\r\n");
}

TEST(results)
{
    robo__gb_result(&out, "Camera", "Cam1", true, NULL);
    expect("RES {Type Camera} {Name Cam1} {Status OK}\r\n");
    robo__gb_result(&out, "INIT", "", false, "no robot is free");
    expect("RES {Type INIT} {Name } {Status Failed} {Reason no robot is free}\r\n");
}

TEST(what_a_client_calls_itself_makes_no_groups_and_no_lines)
{
    robo__gb_result(&out, "INIT", "a} {b\r\nSTA", false, NULL);
    expect("RES {Type INIT} {Name a_ _b__STA} {Status Failed}\r\n");
}

/* ---- states ---- */

static const double still[5];

TEST(a_state_in_ut2004)
{
    const double position[5] = { 0.5, -0.25, 0, 0.9, 0.9 };
    const struct robo__gb_status status = { .time = 19.07, .position = position, .battery = 0.331 };
    robo__gb_status(&out, old, &status);
    expect("STA {Type GroundVehicle} {Time 19.07} {FrontSteer 0.0000} {RearSteer 0.0000}"
           " {LightToggle False} {LightIntensity 0} {Battery 1192} {View -1}\r\n"
           "MISSTA {Time 19.07} {Name CameraPanTilt} {Link 1} {Value -0.5000} {Torque 0.00}"
           " {Link 2} {Value -0.2500} {Torque 0.00}\r\n"
           "MISSTA {Time 19.07} {Name shoulder} {Link 1} {Value 0.0000} {Torque 0.00}"
           " {Link 2} {Value -0.9000} {Torque 0.00}\r\n"
           "EFF {Type Gripper} {Name gripper} {Open}\r\n");
}

TEST(a_state_in_udk)
{
    const double position[5] = { 0.1, 0, 0, 0, 0 };
    const struct robo__gb_status status = { .time = 19.07, .position = position, .battery = 0.331 };
    robo__gb_status(&out, new, &status);
    expect("STA {Time 19.07} {Battery 1192} {Type GroundVehicle} {LightToggle False}"
           " {LightIntensity 100} {FrontSteer 0} {RearSteer 0}\r\n"
           "ASTA {Time 19.07} {Name head} {Link 1} {Value -0.1000} {Link 2} {Value 0.0000}\r\n"
           "ASTA {Time 19.07} {Name shoulder} {Link 1} {Value 0.0000} {Link 2} {Value 0.0000}\r\n"
           "EFF {Time 19.07} {Type Gripper} {Name gripper} {On}\r\n");
}

TEST(a_state_with_light_and_steering)
{
    const struct robo__gb_status status = {
        .time = 1, .position = still, .battery = 1, .light = true, .front = 0.25, .rear = -0.5
    };
    robo__gb_status(&out, old, &status);
    expect_begin("STA {Type GroundVehicle} {Time 1.00} {FrontSteer 0.2500} {RearSteer -0.5000}"
                 " {LightToggle True} {LightIntensity 100} {Battery 3600} {View -1}\r\n");
    robo__gb_status(&out, new, &status);
    expect_begin("STA {Time 1.00} {Battery 3600} {Type GroundVehicle} {LightToggle True}"
                 " {LightIntensity 100} {FrontSteer 0.2500} {RearSteer -0.5000}\r\n");
}

TEST(flippers_and_legs)
{
    struct robo_dof *dof =
        &((struct robo_description *)(void *)(uintptr_t)robot_description())->dof[2];
    strcpy(dof->name, "FRFlipper");
    const double position[5] = { 0, 0, -0.0006, 0, 0 };
    const struct robo__gb_status status = { .time = 2, .position = position, .battery = 1 };
    robo__gb_status(&out, old, &status);
    expect_begin("STA {Type GroundVehicle} {Time 2.00} {FrontSteer 0.0000} {RearSteer 0.0000}"
                 " {FRFlipper -0.0006} {LightToggle False}");
    new->type = ROBO__GB_LEGGED;
    robo__gb_status(&out, new, &status);
    expect_begin("STA {Time 2.00} {Battery 3600} {Type LeggedVehicle} {LightToggle False}"
                 " {LightIntensity 100} {FrontSteer 0} {RearSteer 0} {pan 0.0000} {tilt 0.0000}"
                 " {FRFlipper -0.0006} {grip 0.0000}\r\n");
    strcpy(dof->name, "lift");
}

/* ---- sensors ---- */

TEST(sonars_are_one_line_in_ut2004_and_a_line_each_in_udk)
{
    robo__gb_begin_family(&out, 45.14, ROBO__GB_SONARS);
    for (unsigned i = 0; i < 16; i++)
        robo__gb_add(&out, old->description, i, &(double){ 2.5098 + i }, 1);
    robo__gb_end(&out);
    expect("SEN {Time 45.14} {Type Sonar} {Name F1 Range 2.5098} {Name F2 Range 3.5098}"
           " {Name F3 Range 4.5098} {Name F4 Range 5.5098} {Name F5 Range 6.5098}"
           " {Name F6 Range 7.5098} {Name F7 Range 8.5098} {Name F8 Range 9.5098}"
           " {Name R1 Range 10.5098} {Name R2 Range 11.5098} {Name R3 Range 12.5098}"
           " {Name R4 Range 13.5098} {Name R5 Range 14.5098} {Name R6 Range 15.5098}"
           " {Name R7 Range 16.5098} {Name R8 Range 17.5098}\r\n");
    robo__gb_sensed(&out, new, 45.14, 0, &(double){ 2.5098 }, 1);
    robo__gb_sensed(&out, new, 45.14, 8, &(double){ 1 }, 1);
    expect("SEN {Time 45.14} {Type Sonar} {Name F1} {Range 2.5098}\r\n"
           "SEN {Time 45.14} {Type Sonar} {Name R1} {Range 1.0000}\r\n");
}

TEST(a_range_that_is_not_known_is_minus_one_and_one_beyond_all_is_the_greatest)
{
    robo__gb_sensed(&out, new, 1, 0, &(double){ NAN }, 1);
    robo__gb_sensed(&out, new, 1, 1, &(double){ INFINITY }, 1);
    expect("SEN {Time 1.00} {Type Sonar} {Name F1} {Range -1.0000}\r\n"
           "SEN {Time 1.00} {Type Sonar} {Name F2} {Range 5.0000}\r\n");
}

/* 181 beams of half a turn are 0.0175 rad apart; the first is on the right, here as there. */
TEST(a_scan_goes_from_right_to_left)
{
    double range[181];
    for (int i = 0; i < 181; i++)
        range[i] = 1 + i * 0.01;
    robo__gb_sensed(&out, old, 3, LASER, range, 181);
    assert_in_range(out.n, 1, 4000); /* a client reads lines of 4096 bytes */
    room[out.n] = 0;
    unsigned commas = 0;
    for (const char *c = strstr(room, "{Range "); *c; c++)
        commas += *c == ',';
    assert_int_equal(commas, 180);
    expect_begin("SEN {Time 3.00} {Type RangeScanner} {Name laser} {Resolution 0.0174}"
                 " {FOV 3.1416} {Range 1.0000,1.0100,1.0200,");
    robo__gb_sensed(&out, new, 3, LASER, range, 181);
    expect_begin("SEN {Time 3.00} {Type RangeScanner} {Name laser} {Resolution 0.0174}"
                 " {FOV 3.1416} {Range 1.00,1.01,1.02,");
}

TEST(clients_count_as_many_beams_as_there_are)
{
    static const double fovs[] = { 0.5, 1.0472, M_PI, 4.71238898, 2 * M_PI };
    for (unsigned i = 0; i < sizeof fovs / sizeof fovs[0]; i++) {
        for (unsigned count = 2; count <= ROBO_MAX_READING; count += 1 + count / 7) {
            for (unsigned step = 1; step <= 3; step++) {
                double resolution = 0;
                robo__gb_put_resolution(&out, fovs[i], count, step);
                room[out.n] = 0;
                assert_int_equal(sscanf(room, " {Resolution %lf}", &resolution), 1);
                assert_int_equal(floor(round(fovs[i] * 1e4) / 1e4 / resolution) + 1,
                                 (count + step - 1) / step);
                out = robo__gb_out(room, sizeof room);
            }
        }
    }
}

TEST(a_long_scan_has_fewer_beams_in_ut2004)
{
    static double range[1081];
    for (int i = 0; i < 1081; i++)
        range[i] = 12.5;
    robo__gb_sensed(&out, old, 3, LASER, range, 1081);
    assert_in_range(out.n, 1000, 4000);
    expect_begin("SEN {Time 3.00} {Type RangeScanner} {Name laser} {Resolution 0.00872}");
    robo__gb_sensed(&out, new, 3, LASER, range, 1081);
    assert_true(out.n > 1081 * 5);
    expect_begin("SEN {Time 3.00} {Type RangeScanner} {Name laser} {Resolution 0.002908}");
}

TEST(places_and_rates_are_in_the_other_frame)
{
    static const double odometry[] = { 1, 2, 0.5 }, pose[] = { 1, 2, 0.5, 0, 0, M_PI / 2 },
                        imu[] = { 1, 2, 9.81, 0.1, 0.2, 0.3, 0, 0, 0 };
    robo__gb_sensed(&out, old, 3, ODOMETRY, odometry, 3);
    expect("SEN {Time 3.00} {Type Odometry} {Name odometry} {Pose 1.0000,-2.0000,-0.5000}\r\n");
    robo__gb_odometry(&out, 3, "Odometry", odometry);
    expect("SEN {Time 3.00} {Type Odometry} {Name Odometry} {Pose 1.0000,-2.0000,-0.5000}\r\n");
    robo__gb_inertial(&out, 3, "INS", pose, pose + 3);
    expect("SEN {Time 3.00} {Type INS} {Name INS} {Location 1.0000,-2.0000,-0.5000}"
           " {Orientation 0.0000,0.0000,4.7124}\r\n");
    robo__gb_sensed(&out, old, 3, POSE, pose, 6);
    expect("SEN {Time 3.00} {Type GroundTruth} {Name pose} {Location 1.0000,-2.0000,-0.5000}"
           " {Orientation 0.0000,0.0000,4.7124}\r\n");
    robo__gb_sensed(&out, new, 3, IMU, imu, 9);
    expect("SEN {Time 3.00} {Type IMU} {Name imu} {XYZAcceleration 1.0000,-2.0000,-9.8100}"
           " {AngularVel 0.1000,-0.2000,-0.3000} {Rotation 0.0000,0.0000,0.0000}\r\n");
}

/* 0.133788 degrees are 8.0273 minutes, 0.216633 are 12.9980. */
TEST(a_receiver_of_gps)
{
    robo__gb_sensed(&out, old, 3, GPS, (const double[]){ 0, 0, 0 }, 3);
    expect("SEN {Time 3.00} {Type GPS} {Name gps} {Latitude 39,8.0273,N}"
           " {Longitude 77,12.9980,W} {Fix 1} {Satellites 8}\r\n");
    /* a minute of latitude is 1855.32 m */
    robo__gb_sensed(&out, old, 3, GPS, (const double[]){ 1855.3248, 0, 0 }, 3);
    expect_begin(
        "SEN {Time 3.00} {Type GPS} {Name gps} {Latitude 39,9.0273,N} {Longitude 77,12.99");
    robo__gb_sensed(&out, old, 3, GPS, (const double[]){ NAN, NAN, 0 }, 3);
    expect("SEN {Time 3.00} {Type GPS} {Name gps} {Fix 0} {Satellites 0}\r\n");
}

TEST(the_other_families)
{
    static const double turned[] = { 0.12, -1 }, pressed[] = { 1, 0 };
    robo__gb_sensed(&out, new, 3, ENCODER, turned, 2);
    expect("SEN {Time 3.00} {Type Encoder} {Name encoder1} {Tick 12} {Name encoder2}"
           " {Tick -100}\r\n");
    robo__gb_begin_family(&out, 3, ROBO__GB_ENCODERS);
    robo__gb_add(&out, old->description, ENCODER, turned, 2);
    robo__gb_end(&out);
    expect("SEN {Time 3.00} {Type Encoder} {Name encoder1 Tick 12} {Name encoder2 Tick -100}\r\n");
    robo__gb_sensed(&out, new, 3, BUMPER, pressed, 2);
    expect("SEN {Time 3.00} {Type Touch} {Name bumper1} {Touch True}\r\n"
           "SEN {Time 3.00} {Type Touch} {Name bumper2} {Touch False}\r\n");
    robo__gb_begin_family(&out, 3, ROBO__GB_TOUCHES);
    robo__gb_add(&out, old->description, BUMPER, pressed, 2);
    robo__gb_end(&out);
    expect("SEN {Time 3.00} {Type Touch} {Name bumper1 Touch True} {Name bumper2 Touch False}\r\n");
    robo__gb_sensed(&out, new, 3, INFRARED, &(double){ 0.4 }, 1);
    expect("SEN {Time 3.00} {Type IR} {Name infrared} {Range 0.4000}\r\n");
}

TEST(sensors_that_usarsim_does_not_describe)
{
    robo__gb_sensed(&out, old, 3, GYROSCOPE, (const double[]){ 0, 0, 1 }, 3);
    robo__gb_sensed(&out, old, 3, ACCELEROMETER, (const double[]){ 0, 0, 9.81 }, 3);
    robo__gb_sensed(&out, old, 3, COMPASS, (const double[]){ 0.5 }, 1);
    robo__gb_sensed(&out, old, 3, OWN, (const double[]){ 1, 2 }, 2);
    expect("SEN {Time 3.00} {Type Gyro} {Name gyroscope} {AngularVel 0.0000,0.0000,-1.0000}\r\n"
           "SEN {Time 3.00} {Type Accel} {Name accelerometer}"
           " {XYZAcceleration 0.0000,0.0000,-9.8100}\r\n"
           "SEN {Time 3.00} {Type MagneticCompass} {Name compass} {Heading -0.5000}\r\n"
           "SEN {Time 3.00} {Type smell} {Name smell} {Value 1.0000,2.0000}\r\n");
}

TEST(each_kind_of_sensor_has_a_type_and_a_period)
{
    for (unsigned i = 1; i < ROBO_SENSES; i++) {
        struct robo_sensor sensor = { .name = "s" };
        snprintf(sensor.kind, sizeof sensor.kind, "%s", robo__sense_kinds[i - 1].name);
        assert_int_equal(robo_sensor_sense(&sensor), i);
        assert_non_null(robo__gb_sensor_type(&sensor));
        assert_true(robo__gb_sensor_type(&sensor)[0] >= 'A' &&
                    robo__gb_sensor_type(&sensor)[0] <= 'Z');
        assert_in_range(robo__gb_family_of(&sensor), 0, ROBO__GB_FAMILIES - 1);
        assert_true(robo__gb_period(&sensor) >= 0.1 && robo__gb_period(&sensor) <= 1);
    }
}

TEST(periods_are_usarsims_or_those_of_a_slower_sensor)
{
    const struct robo_description *d = old->description;
    assert_float_equal(robo__gb_period(&d->sensor[0]), 0.1, 1e-12);
    assert_float_equal(robo__gb_period(&d->sensor[LASER]), 0.2, 1e-12);
    assert_float_equal(robo__gb_period(&d->sensor[GPS]), 0.2, 1e-12);
    struct robo_sensor slow = d->sensor[0];
    slow.rate = 2;
    assert_float_equal(robo__gb_period(&slow), 0.5, 1e-12);
}

/* ---- room ---- */

TEST(a_line_that_does_not_fit_is_left_out_whole)
{
    out = robo__gb_out(room, 70);
    robo__gb_result(&out, "Camera", "Cam1", true, NULL); /* 42 bytes */
    robo__gb_result(&out, "Camera", "Cam1", true, NULL);
    robo__gb_result(&out, "A", "B", true, NULL);
    room[out.n] = 0;
    assert_string_equal(room, "RES {Type Camera} {Name Cam1} {Status OK}\r\n");
    out = robo__gb_out(room, 0);
    robo__gb_hello(&out, "x");
    assert_int_equal(out.n, 0);
}

/* ---- answers ---- */

TEST(the_geometry_of_a_robot)
{
    robo__gb_geometry(&out, old, text("Robot"), (struct robo__gb_text){ NULL, 0 });
    expect("GEO {Type GroundVehicle} {Name P2AT} {Dimensions 0.4400,0.3700,0.2400}"
           " {COG -0.0600,-0.0100,-0.1300} {WheelRadius 0.0825} {WheelSeparation 0.3300}"
           " {WheelBase 0.0000}\r\n");
}

TEST(the_configuration_of_a_robot)
{
    robo__gb_configuration(&out, old, text("Robot"), text("R1"));
    expect("CONF {Type GroundVehicle} {Name P2AT} {SteeringType SkidSteered} {Mass 9.0}"
           " {MaxSpeed 20.00} {MaxTorque 0.4} {MaxFrontSteer 0} {MaxRearSteer 0}\r\n");
    robo__gb_configuration(&out, new, text("robot"), text("R1"));
    expect("CONF {Name P2AT} {Type GroundVehicle} {SteeringType SkidSteered} {Mass 9.0}"
           " {MaxSpeed 20.00} {MaxTorque 0.4} {MaxFrontSteer 0} {MaxRearSteer 0}\r\n");
}

TEST(the_geometry_of_sensors)
{
    robo__gb_geometry(&out, old, text("Sonar"), text("F1"));
    expect("GEO {Type Sonar} {Name F1 Location 0.0690,-0.1360,0.0000 Orientation"
           " 0.0000,0.0000,-1.5708 Mount HARD}\r\n");
    robo__gb_geometry(&out, new, text("Sonar"), text("F1"));
    expect("GEO {Type Sonar} {Name F1} {Location 0.0690,-0.1360,0.0000} {Orientation"
           " 0.0000,0.0000,-1.5708} {Mount P2AT}\r\n");
    robo__gb_geometry(&out, old, text("Sonar"), (struct robo__gb_text){ NULL, 0 });
    assert_in_range(out.n, 1000, 4000);
    expect_begin("GEO {Type Sonar} {Name F1 Location 0.0690,-0.1360,0.0000 Orientation"
                 " 0.0000,0.0000,-1.5708 Mount HARD} {Name F2 Location 0.0000,");
    robo__gb_geometry(&out, old, text("Camera"), (struct robo__gb_text){ NULL, 0 });
    expect("GEO {Type Camera} {Name eye Location 0.0800,0.0000,-0.0300 Orientation"
           " 0.0000,0.0000,0.0000 Mount CameraPanTilt}\r\n");
}

TEST(the_configuration_of_sensors)
{
    robo__gb_configuration(&out, old, text("Sonar"), text("R8"));
    expect("CONF {Type Sonar} {Name R8} {MaxRange 5.0000} {MinRange 0.0000}"
           " {BeamAngle 0.2618}\r\n");
    robo__gb_configuration(&out, new, text("sonar"), text("R8"));
    expect("CONF {Type Sonar} {Name R8} {ScanInterval 0.1000} {MaxRange 5.0000} {MinRange 0.0000}"
           " {beamAngle 0.2618} {maxAngleOfIncidence 1.5708} {tracesPerCone 7}"
           " {numberOfCones 1}\r\n");
    robo__gb_configuration(&out, old, text("RangeScanner"), (struct robo__gb_text){ NULL, 0 });
    expect("CONF {Type RangeScanner} {Name laser} {MaxRange 8.0000} {MinRange 0.0000}"
           " {Resolution 0.0174} {Fov 3.1416} {Paning False} {Tilting False}\r\n");
    robo__gb_configuration(&out, old, text("Odometry"), (struct robo__gb_text){ NULL, 0 });
    expect("CONF {Type Odometry} {Name odometry} {ScanInterval 0.1000}"
           " {EncoderResolution 0.0100}\r\n");
    /* two halves of a body that is 0.44 m long */
    robo__gb_configuration(&out, old, text("Touch"), (struct robo__gb_text){ NULL, 0 });
    expect("CONF {Type Touch} {Name bumper1} {Diameter 0.4400} {Name bumper2} {Diameter 0.4400}"
           "\r\n");
    /* a beam is told as what is touched, too */
    struct robo_sensor *s = (struct robo_sensor *)(uintptr_t)&old->description->sensor[INFRARED];
    const struct robo_sensor kept = *s;
    strcpy(s->kind, "beam");
    robo__gb_configuration(&out, old, text("Touch"), text("infrared"));
    *s = kept;
    expect("CONF {Type Touch} {Name infrared} {Diameter 0.0000}\r\n");
    robo__gb_configuration(&out, old, text("Camera"), text("eye"));
    expect("CONF {Type Camera} {Name eye} {CameraDefFov 0.8727} {CameraMinFov 0.8727}"
           " {CameraMaxFov 0.8727} {CameraFov 0.8727}\r\n");
    robo__gb_configuration(&out, new, text("Camera"), text("eye"));
    expect("CONF {Type Camera} {Name eye} {CameraDefFov 0.8727} {CameraMinFov 0.8727}"
           " {CameraMaxFov 0.8727} {CameraFov 0.8727} {TextureOffsetX 0} {TextureOffsetY 0}"
           " {TextureResolutionX 320} {TextureResolutionY 240}\r\n");
}

TEST(what_there_is_not_has_no_answer)
{
    robo__gb_configuration(&out, old, text("RFID"), (struct robo__gb_text){ NULL, 0 });
    robo__gb_geometry(&out, old, text("RFID"), (struct robo__gb_text){ NULL, 0 });
    robo__gb_geometry(&out, old, text("Sonar"), text("F9"));
    robo__gb_configuration(&out, old, text("Camera"), text("nose"));
    expect("");
}

/* The pan's axis is 0.12 m before the axle and 0.28 m above it: 0.18 and 0.15 m from the body's centre of mass. Its limits are to the
 * right there, so they change places. */
TEST(packages)
{
    robo__gb_geometry(&out, old, text("MisPkg"), text("CameraPanTilt"));
    expect("GEO {Type MisPkg} {Name CameraPanTilt} {Link 1} {ParentLink -1} {Location"
           " 0.1200,-0.0100,-0.2800} {Orientation 0.0000,0.0000,0.0000} {Link 2} {ParentLink 1}"
           " {Location 0.0000,0.0000,0.0000} {Orientation 0.0000,0.0000,0.0000}\r\n");
    robo__gb_configuration(&out, old, text("MisPkg"), text("CameraPanTilt"));
    expect("CONF {Type MisPkg} {Name CameraPanTilt} {Link 1} {JointType Revolute} {MaxSpeed 1.50}"
           " {MaxTorque 0.00} {MinRange -1.6000} {MaxRange 1.5000} {Link 2} {JointType Revolute}"
           " {MaxSpeed 1.50} {MaxTorque 0.00} {MinRange -0.4000} {MaxRange 0.5000}\r\n");
    robo__gb_configuration(&out, new, text("Actuator"), text("shoulder"));
    expect("CONF {Type Actuator} {Name shoulder} {Link 1} {JointType Revolute} {MaxSpeed 1.50}"
           " {MaxTorque 0.00} {MinValue 1.0000} {MaxValue 0.0000} {Link 2} {JointType Revolute}"
           " {MaxSpeed 1.50} {MaxTorque 0.00} {MinValue -1.0000} {MaxValue 0.0000}\r\n");
    robo__gb_geometry(&out, new, text("Actuator"), text("head"));
    expect_begin("GEO {Type Actuator} {Name head} {Link 1} {Parent 0} {Location ");
    robo__gb_geometry(&out, old, text("MisPkg"), (struct robo__gb_text){ NULL, 0 });
    expect_begin("GEO {Type MisPkg} {Name CameraPanTilt}");
}

/* A descriptor may have them in a name. What is left of them is one item, by which a client asks, too. */
TEST(blanks_and_braces_of_a_name_are_written_as_one_item)
{
    const double range = 1;
    struct robo_description d, *kept = (struct robo_description *)(uintptr_t)robot_description();
    char sonar[32], eye[32], dof[32];
    memcpy(sonar, kept->sensor[INFRARED].name, sizeof sonar);
    memcpy(eye, kept->camera[0].name, sizeof eye);
    memcpy(dof, kept->dof[0].name, sizeof dof);
    d = *kept;
    strcpy(d.sensor[INFRARED].name, "left {ir}");
    strcpy(d.camera[0].name, "left\teye");
    strcpy(d.dof[0].name, "left flipper");
    robo__gb_begin(&out, "SEN");
    robo__gb_add(&out, &d, INFRARED, &range, 1);
    robo__gb_end(&out);
    expect("SEN {Name left__ir_ Range 1.0000}\r\n");
    robo__gb_geometry(&out, old, text("Camera"), text("Left_Eye"));
    expect_begin("GEO {Type Camera} {Name left_eye Location ");
    robo__gb_configuration(&out, new, text("Camera"), text("left\teye"));
    expect_begin("CONF {Type Camera} {Name left_eye} ");
    const struct robo__gb_link *link = robo__gb_link_of(old, text("left_flipper"));
    assert_non_null(link);
    assert_int_equal(link->dof, 0);
    const double position[5] = { 0.25 };
    const struct robo__gb_status status = { .position = position };
    robo__gb_status(&out, old, &status);
    room[out.n] = 0;
    assert_non_null(strstr(room, " {left_flipper -0.2500} "));
    memcpy(kept->sensor[INFRARED].name, sonar, sizeof sonar);
    memcpy(kept->camera[0].name, eye, sizeof eye);
    memcpy(kept->dof[0].name, dof, sizeof dof);
}
